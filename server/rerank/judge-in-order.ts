/**
 * Judges hits, the best first, until all are judged or time is up; what is judged by then counts. It does not wait for those
 * under way at that moment.
 * @param places which hits, the best first
 * @param maxConcurrent how many are under way at a time
 * @returns verdicts by place, 0..1, and the last failure when there was one
 */
export async function judgeInOrder(
  places: number[],
  judge: (place: number) => Promise<number | null>,
  maxConcurrent: number,
  deadline: AbortSignal,
): Promise<{ verdicts: Map<number, number>; failure: unknown }> {
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
  const onTimeUp = () => ended.resolve();
  deadline.addEventListener('abort', onTimeUp);
  if (deadline.aborted) onTimeUp();
  try {
    await Promise.race([ended.promise, Promise.all(Array.from({ length: maxConcurrent }, work))]);
  } finally {
    deadline.removeEventListener('abort', onTimeUp);
  }
  // Verdicts that come later change nothing any more.
  return { verdicts: new Map(verdicts), failure };
}
