/** A place between two items of a grid: before the item at a position; and where it is drawn, pixels within the grid's frame. */
export type Spot = { position: number; left: number; top: number; height: number };

type Card = { position: number; box: DOMRect };

const cardsOf = (frame: Element): Card[] =>
  [...frame.querySelectorAll('[data-position]')].map((card) => ({
    position: Number(card.getAttribute('data-position')),
    box: card.getBoundingClientRect(),
  }));

/** How far a point is from a box along one axis; 0 within. */
const distance = (at: number, from: number, to: number): number => Math.max(0, from - at, at - to);

/** The place that a point of the window is nearest to: before or behind the nearest item of its row. Null without any. */
export function spotAt(frame: Element, { clientX, clientY }: { clientX: number; clientY: number }): Spot | null {
  let nearest: (Card & { away: number }) | null = null;
  for (const card of cardsOf(frame)) {
    const { left, right, top, bottom } = card.box;
    // A row is wide: what is in it comes before what is above or below.
    const away = distance(clientX, left, right) + 1000 * distance(clientY, top, bottom);
    if (nearest === null || away < nearest.away) nearest = { ...card, away };
  }
  if (!nearest) return null;
  const { box, position } = nearest;
  const isBehind = clientX > box.left + box.width / 2;
  const own = frame.getBoundingClientRect();
  return {
    position: isBehind ? position + 1 : position,
    left: (isBehind ? box.right + 2 : box.left - 2) - own.left,
    top: box.top - own.top,
    height: box.height,
  };
}

/** The position that an item goes to by an arrow; undefined for other keys. Up and down lead to the nearest item of the next row. */
export function placeAfterKey(key: string, from: number, total: number, frame: Element): number | undefined {
  if (key === 'ArrowLeft') return Math.max(0, from - 1);
  if (key === 'ArrowRight') return Math.min(total - 1, from + 1);
  if (key === 'Home') return 0;
  if (key === 'End') return total - 1;
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined;
  const cards = cardsOf(frame);
  const own = cards.find(({ position }) => position === from)?.box;
  if (!own) return from;
  const middle = own.left + own.width / 2;
  const beyond = cards.filter(({ box }) => (key === 'ArrowUp' ? box.bottom <= own.top : box.top >= own.bottom));
  const rowTop =
    key === 'ArrowUp' ? Math.max(...beyond.map(({ box }) => box.top)) : Math.min(...beyond.map(({ box }) => box.top));
  const row = beyond.filter(({ box }) => Math.abs(box.top - rowTop) < 2);
  const away = ({ box }: Card) => Math.abs(box.left + box.width / 2 - middle);
  return row.toSorted((a, b) => away(a) - away(b))[0]?.position ?? from;
}
