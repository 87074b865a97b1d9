/**
 * The script of the public pages of links (`server/http/shared-page/`), which can be looked at without it: keys and swipes between pictures,
 * comments that lead to their moment, and the moment of a new comment.
 */

const link = (id: string): HTMLAnchorElement | null => document.querySelector<HTMLAnchorElement>(`a#${id}`);

/** Goes to a neighbour in place of this page, so that Back leads to all pictures. */
function goTo(id: 'previous' | 'next'): void {
  const href = link(id)?.href;
  if (href !== undefined) window.location.replace(href);
}

document.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (event.target instanceof HTMLElement && event.target.matches('input, textarea, video')) return;
  if (event.key === 'ArrowLeft') goTo('previous');
  else if (event.key === 'ArrowRight') goTo('next');
  else if (event.key === 'Escape') link('close')?.click();
});

for (const id of ['previous', 'next'] as const) {
  link(id)?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(id);
  });
}

/** A finger goes this far to the side, pixels, and less up or down, before it means another picture. */
const leastSwipe = 60;
let touch: { x: number; y: number } | null = null;
const stage = document.querySelector<HTMLElement>('.stage');
stage?.addEventListener(
  'touchstart',
  ({ touches }) => {
    const [first] = touches;
    // Two fingers enlarge the picture.
    touch = first && touches.length === 1 ? { x: first.clientX, y: first.clientY } : null;
  },
  { passive: true },
);
stage?.addEventListener('touchend', ({ changedTouches: [last] }) => {
  if (!touch || !last || (window.visualViewport?.scale ?? 1) > 1.01) return;
  const [x, y] = [last.clientX - touch.x, last.clientY - touch.y];
  if (Math.abs(x) >= leastSwipe && Math.abs(y) < Math.abs(x)) goTo(x < 0 ? 'next' : 'previous');
});

const video = document.querySelector('video');

document.addEventListener('click', (event) => {
  const moment = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-time]') : null;
  if (!moment || !video) return;
  event.preventDefault();
  video.currentTime = Number(moment.dataset['time']);
  video.scrollIntoView({ block: 'nearest' });
});

/** Seconds as the form has them: minutes, seconds and tenths. */
function formatMoment(seconds: number): string {
  const tenths = Math.floor(seconds * 10);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

document.querySelector('textarea')?.addEventListener('focus', () => {
  const at = document.querySelector<HTMLInputElement>('input[name=at]');
  if (at && video && at.value === '' && video.currentTime > 0) at.value = formatMoment(video.currentTime);
});
