import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildTextSegment } from '../text/build-segment.ts';
import { type BuiltIndex, putItem, removeItem } from './built-index.ts';
import type { IndexSource } from './index-source.ts';

/** Items read at once. */
const itemsPerBatch = 50;
/** Texts that become a segment at the latest: they are held in memory until then. */
const maxPendingTexts = 20_000;

/**
 * Adds to an index what was stored until now, and deletes what was deleted. Throws the signal's reason when it is aborted before.
 * @param onAdded called when some more items are there
 */
export async function catchUp(
  source: IndexSource,
  index: BuiltIndex,
  signal: AbortSignal,
  onAdded: () => void = () => undefined,
): Promise<void> {
  const { workspaceId, embedder } = index;
  const readVectors = (numbers: number[]) => source.readVectors(workspaceId, embedder.id, numbers);
  const readPassageVectors = (numbers: number[]) => source.readPassageVectors(workspaceId, numbers);
  // Not up to what is stored meanwhile: a search that waits would wait for as long as writes go on.
  const last = await source.readLastChange(workspaceId);
  while (index.change < last) {
    const changes = await source.listChangesAfter(workspaceId, index.change, itemsPerBatch);
    if (changes.length === 0) break;
    const ids = changes.map(({ media_id }) => media_id);
    const items = new Map((await source.readItems(workspaceId, ids)).map((item) => [item.id, item]));
    for (const { media_id, sequence } of changes) {
      const item = items.get(media_id);
      if (item) await putItem(index, item, readVectors, readPassageVectors);
      else removeItem(index, media_id);
      index.change = sequence;
    }
    if (index.pendingTexts.length >= maxPendingTexts) await addTexts(index);
    onAdded();
    await nextTurn();
    signal.throwIfAborted();
  }
  await addTexts(index);
}

/** Makes a segment of the texts of the last slots. */
async function addTexts(index: BuiltIndex): Promise<void> {
  const texts = index.pendingTexts;
  if (texts.length === 0) return;
  const segment = await inSteps(buildTextSegment(index.slotCount - texts.length, texts));
  index.pendingTexts = [];
  // Others may have been merged meanwhile.
  index.textSegments = [...index.textSegments, segment];
}

/** Runs long work of the builder to its end; between two steps others have their turn. */
export async function inSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}
