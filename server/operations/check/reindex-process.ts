import { indexMedia } from '@media-search/indexing/index-media';
import { limitFfmpegLog } from '@media-search/media/ffmpeg-log';
import type { Embedder } from '@media-search/models/embedder';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { borrowAssets } from '../../assets/asset-rpc.ts';
import { original } from '../../assets/asset-store.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { childOptions, openCatalogAt } from '../../catalog/catalog-location.ts';
import { takeCatalogLocation } from '../../catalog/child-catalog.ts';
import { findEmbedder, listItemEmbedders } from '../../catalog/embedders.ts';
import { replaceIndexedMedia } from '../../catalog/media/store-indexed-media.ts';
import { nextFencingToken } from '../../catalog/queue/job-queue.ts';
import { dropPrivileges } from '../../platform/processes/drop-privileges.ts';
import { createAdvanceReport } from '../../platform/processes/hang-watch.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import type { ReindexTask } from './reindex-media.ts';

/** The process that `reindexMedia` starts. */

const { dataDirectory, borrowsAssets, media, limits } = JSON.parse(process.argv[2] ?? '') as ReindexTask;
dropPrivileges(dataDirectory);
const assets = borrowsAssets ? borrowAssets() : createFileAssetStore(dataDirectory);
const scratch = createScratch(dataDirectory);
const db = await openCatalogAt(takeCatalogLocation(dataDirectory), childOptions);
limitFfmpegLog();
// The command that started it has ended. An orderly exit could wait forever for a decoder.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const token = await nextFencingToken(db);
try {
  const embedders = await loadEmbedders();
  const onAdvance = createAdvanceReport(() => void process.send?.('advanced'));
  const indexed = await scratch.withFolder(async (outputDirectory) => {
    const found = await assets.withLocalCopy(
      original(media),
      (path) =>
        indexMedia({
          path,
          filename: media.filename,
          outputDirectory,
          embedders,
          limits,
          checkDuration: () => Promise.resolve(),
          onProgress: onAdvance,
          onAdvance,
          signal: new AbortController().signal,
        }),
      { onAdvance },
    );
    await assets.putRenditions(media, token, outputDirectory, { onAdvance });
    return found;
  });
  if (!(await replaceIndexedMedia(db, media, indexed, token))) throw new Error('it was changed meanwhile');
  await assets.removeRenditions(media, { upTo: token - 1 });
} catch (error) {
  // First: whatever else fails, the repair did.
  process.exitCode = 1;
  await assets.removeRenditions(media, { only: token }).catch(() => undefined);
  const failure = error instanceof Error ? error.message : String(error);
  await new Promise<unknown>((sent) => process.send?.({ failure }, undefined, undefined, sent));
} finally {
  await db.destroy();
  process.exit();
}

/** The embedders that the item has vectors of, and the active one of its workspace. */
async function loadEmbedders(): Promise<Embedder[]> {
  const load = createEmbedderLoader(1);
  const embedders: Embedder[] = [];
  for (const id of await listItemEmbedders(db, media)) {
    const reference = await findEmbedder(db, id);
    if (reference) embedders.push(await load(reference));
  }
  return embedders;
}
