/**
 * Wraps an action so that it runs at once, but at most every so many milliseconds; calls in between run it once, when the time is up.
 */
export function atMostEvery(ms: number, run: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const runNow = () => {
    timer = undefined;
    last = Date.now();
    run();
  };
  return () => {
    if (timer !== undefined) return;
    const wait = last + ms - Date.now();
    if (wait <= 0) runNow();
    else timer = setTimeout(runNow, wait);
  };
}
