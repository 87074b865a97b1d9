/** Runs a request for each item, a few at a time; the first failure is thrown when all have been tried. */
export async function forEachItem(ids: readonly string[], run: (id: string) => Promise<unknown>): Promise<void> {
  const waiting = [...ids];
  const failures: unknown[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await run(id).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  if (failures.length > 0) throw failures[0];
}
