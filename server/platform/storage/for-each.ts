/** Works on all of a list or a stream, some at a time. Ends with the first failure, when nothing of it runs any more. */
export async function forEach<Each>(
  all: Iterable<Each> | AsyncIterable<Each>,
  atOnce: number,
  work: (each: Each) => Promise<void>,
): Promise<void> {
  const rest = Symbol.asyncIterator in all ? all[Symbol.asyncIterator]() : all[Symbol.iterator]();
  let failed = false;
  const runs = Array.from({ length: atOnce }, async () => {
    while (!failed) {
      try {
        const next = await rest.next();
        if (next.done) return;
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  });
  const failure = (await Promise.allSettled(runs)).find((run) => run.status === 'rejected');
  if (failure) throw failure.reason;
}
