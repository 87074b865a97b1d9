import { setTimeout as delay } from 'node:timers/promises';
import { earlierPoster, earlierVideoPoster, posterSizes, thumbnailSizes } from '@media-search/media/picture-sizes';
import type { FastifyBaseLogger } from 'fastify';
import { listThumbnails } from '../../catalog/integrity-queries.ts';
import { findEarlierPictures, isIndexing, renamePoster } from '../../catalog/media/earlier-pictures.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { PictureFiles } from './picture-files.ts';

/** Between two items, so that requests and indexing come first, milliseconds. */
const pauseMs = 250;
/** While something is indexed, milliseconds. */
const busyMs = 10_000;

type Parts = { db: Catalog; pictureFiles: PictureFiles; log: Pick<FastifyBaseLogger, 'warn'> };

/**
 * Makes the pictures that items of earlier releases lack, one item after the other while nothing is indexed, and ends with the last. What they show does
 * not change; posters of their films stay as small as they were until they are indexed again. An item whose pictures cannot be made keeps what it has,
 * and is tried again by the next start.
 * Single process: a second one would make the same.
 */
export function startRenewal({ db, pictureFiles, log }: Parts, pace = { pauseMs, busyMs }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    let last = { workspace_id: '', id: '' };
    for (;;) {
      while (await isIndexing(db)) await delay(pace.busyMs, undefined, { signal, ref: false });
      const item = await findEarlierPictures(db, last);
      if (!item) return;
      last = item;
      await renew(item).catch((error: unknown) => {
        signal.throwIfAborted();
        log.warn({ workspace: item.workspace_id, media: item.id, err: error }, 'pictures were not renewed');
      });
      await delay(pace.pauseMs, undefined, { signal, ref: false });
    }
  }

  async function renew(item: MediaRow): Promise<void> {
    const { type, width, height } = item;
    if (width === null || height === null) return;
    const full = { width, height };
    const thumbnails = await listThumbnails(db, item);
    const names = thumbnails.flatMap((file) => thumbnailSizes(file, type, full).slice(0, -1)).map(({ file }) => file);
    if (type === 'image') {
      if (!(await pictureFiles.makeAll(item, full, signal))) return;
      for (const name of names) await pictureFiles.make(item, name, signal);
      return renamePoster(db, item, posterSizes(full).at(-1)?.file ?? earlierPoster);
    }
    for (const name of [
      ...names,
      ...thumbnailSizes(earlierPoster, type, full)
        .slice(0, -1)
        .map(({ file }) => file),
    ])
      await pictureFiles.make(item, name, signal);
    await pictureFiles.make(item, earlierVideoPoster, signal);
    return renamePoster(db, item, earlierVideoPoster);
  }

  const running = run().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'pictures are not renewed');
  });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
