/** What many gauges are computed from, read once for all of them and at most this often, milliseconds. */
export function readAtMost<Value>(everyMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let readAt = -Infinity;
  let last: Promise<Value> | undefined;
  return () => {
    if (last === undefined || Date.now() - readAt > everyMs) {
      readAt = Date.now();
      last = read();
    }
    return last;
  };
}
