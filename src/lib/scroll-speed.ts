/** For so long after a jump scrolling counts as fast, milliseconds. */
const fastMs = 120;

let before = 0;
let fastAt = -fastMs;

// By half a screen from one frame to the next: nobody sees what goes past.
window.addEventListener('scroll', () => {
  if (Math.abs(scrollY - before) > innerHeight / 2) fastAt = performance.now();
  before = scrollY;
});

/** Whether what comes into view goes out of it at once, because the page is scrolled fast. */
export const isScrollingFast = (): boolean => performance.now() - fastAt < fastMs;
