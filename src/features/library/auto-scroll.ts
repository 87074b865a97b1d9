/** How near to the upper or lower edge of the window the page begins to move, pixels. */
const edge = 72;

/** The fastest movement, pixels a frame. */
const fastest = 24;

/**
 * Scrolls the page while a pointer that draws is near the upper or lower edge of the window, the nearer the faster.
 * @param onScroll called after each movement
 * @returns what is told where the pointer is, and what ends it
 */
export function startAutoScroll(onScroll: () => void): { follow: (y: number) => void; stop: () => void } {
  let speed = 0;
  let frame = 0;
  const move = () => {
    frame = 0;
    if (speed === 0) return;
    const before = window.scrollY;
    window.scrollBy({ top: speed, behavior: 'instant' });
    if (window.scrollY !== before) onScroll();
    frame = requestAnimationFrame(move);
  };
  return {
    follow(y) {
      const below = y - (window.innerHeight - edge);
      const above = edge - y;
      speed = below > 0 ? Math.min(1, below / edge) * fastest : above > 0 ? -Math.min(1, above / edge) * fastest : 0;
      if (speed !== 0 && frame === 0) frame = requestAnimationFrame(move);
    },
    stop() {
      speed = 0;
      cancelAnimationFrame(frame);
    },
  };
}
