import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import { wantsStillness } from '../../lib/stage.ts';

/** A picture of the strip. */
export type StripEntry = { id: string; name: string; thumbnail: string | null; ratio: number; go: () => void };

/** Height of the pictures, pixels; their width keeps their shape, within bounds. */
const height = 56;
const widthOf = (ratio: number): number => Math.round(height * Math.min(2, Math.max(0.6, ratio)));

/** What stands around an item in its list, in one row whose middle is the item. */
export function Filmstrip({ entries, current }: { entries: readonly StripEntry[]; current: string }) {
  const strip = useRef<HTMLOListElement>(null);
  const last = useRef<string | null>(null);
  // What stands before the item moves it, once more of the list is known.
  const place = entries.findIndex(({ id }) => id === current);
  useEffect(() => {
    const list = strip.current;
    const entry = list?.querySelector<HTMLElement>('[aria-current]');
    if (!list || !entry) return;
    const left = entry.offsetLeft + entry.offsetWidth / 2 - list.clientWidth / 2;
    // The first time, and when the list grows.
    const isStill = last.current === null || last.current === current || wantsStillness();
    last.current = place === -1 ? null : current;
    list.scrollTo({ left, behavior: isStill ? 'instant' : 'smooth' });
  }, [current, place]);
  return (
    <nav aria-label="Filmstrip" className="shrink-0 bg-black pt-1 pb-2">
      <ol ref={strip} className="relative flex [scrollbar-width:none] gap-1 overflow-x-auto px-[50%] py-1">
        {entries.map(({ id, name, thumbnail, ratio, go }) => (
          <li key={id} className="shrink-0">
            <button
              type="button"
              aria-label={name}
              aria-current={id === current ? 'true' : undefined}
              title={name}
              // One stop of the Tab key: the arrows go through the list.
              tabIndex={id === current ? 0 : -1}
              onClick={go}
              className={clsx(
                'block overflow-hidden rounded-sm bg-raised outline-offset-1 transition-opacity duration-quick',
                id === current ? 'opacity-100 ring-2 ring-accent' : 'opacity-55 hover:opacity-100',
              )}
              style={{ width: widthOf(ratio), height }}
            >
              {thumbnail === null ? null : (
                <img src={thumbnail} alt="" loading="lazy" draggable={false} className="size-full object-cover" />
              )}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
