import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ExportMoment } from '../../../contract/exports.ts';
import { type AssetStore, original } from '../../assets/asset-store.ts';
import { checkLength } from '../../assets/check-original.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { ExportPool } from './export-pool.ts';
import { clipName, createUniqueNames, toSafeName } from './file-names.ts';
import { findMoments, isPart, spanOf } from './moments.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';

export type ZipSources = { db: Catalog; assets: AssetStore; scratch: Scratch; pool: ExportPool };

/**
 * Streams an archive of originals and clips (ZIP64 where it is needed). Media does not get smaller by being deflated, so it is stored as it
 * is. What is missing or cannot be cut does not break the archive: `errors.txt` in it says so. Memory does not grow with the number of
 * items but for their names.
 * @param signal aborts when nobody reads on
 */
export function streamZip(
  sources: ZipSources,
  workspaceId: string,
  moments: ExportMoment[],
  signal: AbortSignal,
): Readable {
  const zip = writeZip(listEntries(sources, workspaceId, withoutRepeats(moments), signal));
  return Readable.from(zip, { objectMode: false });
}

/** Each moment once: the same file again and again would be the work of all of them for a request of a few bytes. */
function withoutRepeats(moments: ExportMoment[]): ExportMoment[] {
  const seen = new Map<string, ExportMoment>();
  for (const moment of moments) {
    const place = `${moment.media_id} ${moment.start} ${moment.end}`;
    if (!seen.has(place)) seen.set(place, moment);
  }
  return [...seen.values()];
}

async function* listEntries(
  sources: ZipSources,
  workspaceId: string,
  moments: ExportMoment[],
  signal: AbortSignal,
): AsyncGenerator<ZipEntry> {
  const toUnique = createUniqueNames();
  const errors: string[] = [];
  for await (const { moment, media } of findMoments(sources.db, workspaceId, moments)) {
    signal.throwIfAborted();
    if (!media) {
      errors.push(`${moment.name ?? moment.media_id}: it is no longer in the library.`);
      continue;
    }
    const problem = await checkLength(sources.assets, media);
    if (problem) {
      const what = problem === 'original_missing' ? 'missing on the server' : 'damaged';
      errors.push(`${moment.name ?? media.filename}: its original is ${what}.`);
    } else if (media.type === 'video' && isPart(moment)) {
      yield* cutEntry(sources, { moment, media }, { toUnique, errors }, signal);
    } else {
      const input = sources.assets.read(original(media));
      yield* readOnce({
        name: toUnique(toSafeName(media.filename)),
        input,
        lastModified: new Date(media.created_at),
      });
    }
  }
  if (errors.length > 0) {
    const input = `These are missing in this archive:\r\n${errors.map((line) => `${line}\r\n`).join('')}`;
    yield { name: toUnique('errors.txt'), input, lastModified: new Date() };
  }
}

/** An entry whose file is closed also when nobody reads it to its end. */
function* readOnce(entry: ZipEntry & { input: Readable }): Generator<ZipEntry> {
  try {
    yield entry;
  } finally {
    entry.input.destroy();
  }
}

/** A clip, which is cut when its turn comes and removed when it has been read. */
async function* cutEntry(
  { assets, scratch, pool }: ZipSources,
  { moment, media }: { moment: ExportMoment; media: MediaRow },
  { toUnique, errors }: { toUnique: (name: string) => string; errors: string[] },
  signal: AbortSignal,
): AsyncGenerator<ZipEntry> {
  const { name = media.filename } = moment;
  const span = spanOf(moment, media.duration ?? 0);
  if (!span) {
    errors.push(`${name}: the video ends before this moment.`);
    return;
  }
  const { promise: isRead, resolve: endFolder } = Promise.withResolvers<void>();
  const { promise: cut, resolve, reject } = Promise.withResolvers<string>();
  const folderIsGone = scratch.withFolder(async (folder) => {
    const destination = path.join(folder, 'clip.mp4');
    try {
      await assets.withLocalCopy(original(media), (source) =>
        pool.run(media.workspace_id, { kind: 'clip', source, span, destination, progressFile: null }, signal),
      );
      resolve(destination);
    } catch (error) {
      reject(error);
      return;
    }
    await isRead;
  });
  folderIsGone.catch(reject);
  try {
    const file = await cut;
    const named = moment.name === undefined ? clipName(media.filename, span, 'mp4') : `${moment.name}.mp4`;
    const input = createReadStream(file);
    yield* readOnce({ name: toUnique(toSafeName(named)), input, lastModified: new Date(media.created_at) });
  } catch (error) {
    signal.throwIfAborted();
    errors.push(`${name}: ${error instanceof Error ? error.message : 'it cannot be cut.'}`);
  } finally {
    endFolder();
    await folderIsGone.catch(() => undefined);
  }
}
