import type { ExtractedSegment, ExtractionEnd } from '@media-search/media/extracted-text';
import { findChunksWithTexts, listChunkNumbers } from '../catalog/media/chunks.ts';
import { completeIndexing } from '../catalog/queue/indexing-jobs.ts';
import type { ExtractionSource } from '../catalog/tables/texts.ts';
import { readExtractions } from '../catalog/texts/text-extractions.ts';
import { joinTexts, listSegments } from '../catalog/texts/text-segments.ts';
import type { Backend } from './fresh-catalog.ts';
import { claim, indexed, openTestCatalog } from './test-catalog.ts';

/** Something that is said. @param start seconds */
export const said = (start: number, text: string): ExtractedSegment => ({
  start,
  end: start + 0.8,
  text,
  language: 'en',
  box: null,
  confidence: 0.9,
});

/** All was read. */
export const complete: ExtractionEnd = {
  state: 'complete',
  language: 'en',
  model: 'test',
  message: null,
  warning: null,
};

/** A catalog with a complete item of three chunks, a subtitle in the first, and jobs to recognise text in it. */
export async function openItemToRead(sources: ExtractionSource[] = ['speech'], backend: Backend = 'sqlite') {
  const t = await openTestCatalog(backend);
  const media = await t.add();
  await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['Hello', null, null]), sources);
  return {
    ...t,
    media,
    claimSpeech: () => claim(t.db, 'a', 'speech'),
    stateOf: async (source: ExtractionSource = 'speech') =>
      (await readExtractions(t.db, t.workspaceId, [media.id])).get(media.id)?.[source],
    texts: async () =>
      (await listSegments(t.db, t.workspaceId, media.id, { page: 1, per_page: 100 })).rows.map(
        ({ source, start_time, text }) => [source, start_time, text],
      ),
    /** The texts by which each chunk is found. */
    async chunkTexts() {
      const numbers = await listChunkNumbers(t.db, t.workspaceId, media.id);
      const { found } = await findChunksWithTexts(t.db, t.workspaceId, numbers, {});
      return found
        .toSorted((a, b) => a.chunk.position - b.chunk.position)
        .map(({ texts }) => joinTexts(texts.segments));
    },
  };
}
