/** Waits for work until the signal aborts; then throws its reason. The work itself continues, and its failure is ignored. */
export async function raceWithSignal<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The values of an iterator until a signal aborts, also when the iterator itself never settles. */
export async function* iterateUntilAborted<Value>(
  signal: AbortSignal,
  values: AsyncIterableIterator<Value>,
): AsyncGenerator<Value> {
  let fail = (_reason: Error) => {};
  // One listener for all: of each chunk of a large body it costs more than to store the chunk.
  const onAbort = () => fail(signal.reason as Error);
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Value>>((resolve, reject) => {
        fail = reject;
        values.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // One that is stuck would not end either.
    if (!signal.aborted) await values.return?.();
  }
}
