import { z } from 'zod';
import { formatTime } from '../shared/format.ts';
import { ifSupported } from '../shared/if-supported.ts';
import { type Client, listTexts, type TextSegment } from '../typescript/index.ts';
import { cleanPassage, quote } from './safe-text.ts';

/** A passage of an item as tools hand it on. */
export const passage = z.object({
  source: z.string().describe('speech, ocr (on-screen text), subtitle or chapter.'),
  start: z.number().describe('Seconds; 0 for an image.'),
  end: z.number(),
  text: z.string(),
});
type Passage = z.output<typeof passage>;

/** Most passages of an answer. */
const maxPassages = 60;
/** Passages that one request reads. */
const pageLength = 50;

/** A span that a passage before the searched ones may last, seconds: subtitles stay for a few. */
const longestPassage = 15;

/**
 * What is said and written in a part of an item, in order of time. Long videos have thousands of passages and the list has no filter for
 * time, so the first page is found by halving.
 * @returns `complete`: whether these are all of that part; null where the service has no such list
 */
export async function readPassages(
  client: Client,
  mediaId: string,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<{ passages: Passage[]; total: number; complete: boolean } | null> {
  const read = (page: number) =>
    listTexts({ client, path: { id: mediaId }, query: { page, per_page: pageLength }, signal });
  const first = await ifSupported(read(1), null);
  if (!first) return null;
  const { total, total_pages: pages } = first.meta;
  const open = async (page: number) => (page === 1 ? first : await read(page)).data;
  let page = 1;
  for (let last = Math.max(1, pages); page < last;) {
    const middle = Math.floor((page + last) / 2);
    const latest = (await open(middle)).at(-1)?.start ?? 0;
    if (latest >= from - longestPassage) last = middle;
    else page = middle + 1;
  }
  const passages: Passage[] = [];
  for (; page <= pages; page++) {
    for (const text of await open(page)) {
      if (text.start > to) return { passages, total, complete: true };
      if (text.end < from) continue;
      if (passages.length === maxPassages) return { passages, total, complete: false };
      passages.push(toPassage(text));
    }
  }
  return { passages, total, complete: true };
}

const toPassage = ({ source, start, end, text }: TextSegment): Passage => ({
  source,
  start,
  end,
  text: cleanPassage(text),
});

/** A passage in one line. */
export const writePassage = ({ source, start, text }: Passage): string =>
  `${formatTime(start)} ${source}: ${quote(text)}`;
