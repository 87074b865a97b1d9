/** How well hits fit the query, 0..1, by their place in the list; and the last error when there was one. */
export type Verdicts = { verdicts: Map<number, number>; failure: unknown };

/**
 * Judges hits, the best first, until all are judged or the deadline aborts. It does not wait for those that are being judged then.
 * @param places positions of the hits, the best first
 * @param judge null: no verdict
 * @param maxConcurrent how many hits are judged at a time
 */
export async function judgeInOrder(
  places: number[],
  judge: (place: number) => Promise<number | null>,
  maxConcurrent: number,
  deadline: AbortSignal,
): Promise<Verdicts> {
  const verdicts = new Map<number, number>();
  let failure: unknown;
  const waiting = [...places];
  const work = async () => {
    for (let place = waiting.shift(); place !== undefined && !deadline.aborted; place = waiting.shift()) {
      try {
        const verdict = await judge(place);
        if (verdict !== null) verdicts.set(place, verdict);
      } catch (error) {
        failure = error;
      }
    }
  };
  const ended = Promise.withResolvers<void>();
  const onDeadline = () => ended.resolve();
  deadline.addEventListener('abort', onDeadline);
  if (deadline.aborted) onDeadline();
  try {
    await Promise.race([ended.promise, Promise.all(Array.from({ length: maxConcurrent }, work))]);
  } finally {
    deadline.removeEventListener('abort', onDeadline);
  }
  // A copy: verdicts that come later must not change it.
  return { verdicts: new Map(verdicts), failure };
}
