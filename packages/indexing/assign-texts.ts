/** Lines of one item and source that are assigned. A film has some thousand. */
const maxLines = 100_000;
/** Chunks that one line goes to, from the first on: some minutes. */
const maxChunksPerLine = 100;
/** Text of one source in one chunk, characters. Ten seconds of speech have about 200. */
const maxTextLength = 10_000;

type Span = { start: number; end: number };

/**
 * What is said or written in each chunk, as the places of the lines: those that overlap it, each text once. A line that overlaps none (it is
 * said in a shot too short for a chunk) goes to the nearest, so that it is found. The work for a line does not grow with the number of chunks,
 * and what all get together is bounded, however long lines claim to be shown.
 * @param chunks in order of time, none overlapping another
 * @param uncertainty of the times, seconds: a line that reaches into a chunk by less, and by less than a quarter of itself, does not overlap it
 */
export function assignTexts(lines: (Span & { text: string })[], chunks: Span[], uncertainty: number): number[][] {
  const places = chunks.map((): number[] => []);
  const texts = chunks.map(() => new Set<string>());
  const lengths = chunks.map(() => 0);
  for (const [place, line] of lines.slice(0, maxLines).entries()) {
    const reach = Math.min(uncertainty, (line.end - line.start) / 4);
    const first = firstEndingAfter(chunks, line.start + reach);
    let after = first;
    while (after < first + maxChunksPerLine && (chunks[after]?.start ?? Infinity) < line.end - reach) after += 1;
    const [from, to] = after > first ? [first, after] : nearestChunk(chunks, first, line);
    for (let i = from; i < to; i++) {
      const length = (lengths[i] ?? 0) + line.text.length;
      if (length > maxTextLength || texts[i]?.has(line.text)) continue;
      texts[i]?.add(line.text);
      lengths[i] = length;
      places[i]?.push(place);
    }
  }
  return places;
}

/** The place of the first chunk that ends after a time, by bisection; the number of chunks where none does. */
function firstEndingAfter(chunks: Span[], time: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunks[middle]?.end ?? Infinity) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Which of the chunks before and behind a line is nearer, as the range that holds it alone. */
function nearestChunk(chunks: Span[], next: number, { start, end }: Span): [from: number, to: number] {
  const before = start - (chunks[next - 1]?.end ?? -Infinity);
  const behind = (chunks[next]?.start ?? Infinity) - end;
  const at = before <= behind ? next - 1 : next;
  return [at, at + 1];
}
