import { open } from 'node:fs/promises';
import path from 'node:path';
import type { IndexedMedia, TextLine } from '@media-search/indexing/indexed-media';
import { namePlace } from '@media-search/indexing/name-place';
import { findDate } from '@media-search/media/file-tags';
import {
  isSubtitleFile,
  languageOfName,
  maxSubtitleFileBytes,
  readSubtitleFile,
} from '@media-search/media/read-subtitle-file';
import { readXmp, textsOf, type XmpTags } from '@media-search/media/read-xmp';
import { firstSidecarTrack } from '../../contract/texts.ts';
import { original, type Transfer } from '../assets/asset-store.ts';
import type { Job } from '../catalog/queue/job-queue.ts';
import { readSidecarRows } from '../catalog/sources/sidecars.ts';
import { ApiError } from '../errors/api-error.ts';
import type { JobContext } from './job-attempt.ts';

/** Files of subtitles beside an item that are read. */
const maxFiles = 10;

type Sidecars = Pick<JobContext, 'db' | 'assets' | 'scratch' | 'log'>;

/**
 * The subtitles that lie beside a video in its source, as lines of tracks of their own. What cannot be read is left out, and logged: the video is worth
 * indexing without.
 * Throws what says that the source is away.
 */
export async function readSubtitleSidecars(
  context: Sidecars,
  job: Job<'index'>,
  transfer: Transfer,
): Promise<TextLine[]> {
  if (job.type !== 'video' || job.source_path === null) return [];
  const media = path.posix.basename(job.source_path);
  const all = (await readSidecarRows(context.db, job)).filter(({ path: file }) => isSubtitleFile(file));
  const files = all.map((each) => each.path).toSorted();
  const texts: TextLine[] = [];
  for (const [i, file] of files.slice(0, maxFiles).entries()) {
    const name = path.posix.basename(file);
    const lines = await readSidecar(context, job, file, transfer, (bytes) =>
      context.scratch.withFolder((folder) => readSubtitleFile(bytes, name, folder, transfer.signal)),
    );
    const track = { source: 'subtitle' as const, track: firstSidecarTrack + i, language: languageOfName(name, media) };
    for (const line of lines ?? []) texts.push({ ...line, ...track });
  }
  return texts;
}

/**
 * What people noted of an item of a source in an XMP file beside it, as Lightroom, darktable and Bridge write them: stars, keywords, title, place.
 * @returns null where there is none that can be read
 */
export async function readXmpSidecar(
  context: Sidecars,
  job: Job<'index'>,
  transfer: Transfer,
): Promise<XmpTags | null> {
  const rows = await readSidecarRows(context.db, job);
  const [first] = rows.flatMap(({ path: file }) => (/\.xmp$/i.test(file) ? [file] : [])).toSorted();
  if (first === undefined) return null;
  return readSidecar(context, job, first, transfer, (bytes) =>
    Promise.resolve(readXmp(new TextDecoder().decode(bytes))),
  );
}

/** What was read of a file, with what XMP says of it: words and stars beside those of the file, a place and a date where it has none. */
export function withXmp(indexed: IndexedMedia, xmp: XmpTags | null): IndexedMedia {
  if (!xmp) return indexed;
  const { recording } = indexed;
  const { latitude, longitude } = recording.latitude === null ? xmp : recording;
  return {
    ...indexed,
    tags: [...new Set([...indexed.tags.split('\n'), ...textsOf(xmp).split('\n')])].filter(Boolean).join('\n'),
    rating: xmp.rating ?? indexed.rating,
    recording: namePlace({
      ...recording,
      ...(recording.takenAt === null ? findDate(xmp.dates) : {}),
      latitude,
      longitude,
      place: xmp.place ?? recording.place,
    }),
  };
}

/** Reads a file that lies beside an item. @returns null, with a line in the log, for one that is gone or too large */
async function readSidecar<Result>(
  { assets, log }: Sidecars,
  job: Job<'index'>,
  file: string,
  transfer: Transfer,
  read: (bytes: Uint8Array) => Promise<Result>,
): Promise<Result | null> {
  try {
    const sidecar = original({ ...job, source_path: file });
    return await assets.withLocalCopy(sidecar, async (copy) => read(await readAll(copy)), transfer);
  } catch (error) {
    const isOwn = error instanceof TooLargeError || (error instanceof ApiError && error.code === 'original_missing');
    if (!isOwn) throw error;
    log.warn({ media: job.id, err: error }, 'a file beside an item is left out');
    return null;
  }
}

class TooLargeError extends Error {}

/** The bytes of a file. Throws `TooLargeError`; also of one that grew since it was listed no more is read. */
async function readAll(file: string): Promise<Uint8Array> {
  await using handle = await open(file);
  const bytes = Buffer.alloc(maxSubtitleFileBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (length > maxSubtitleFileBytes) throw new TooLargeError('A file beside an item is larger than 4 MiB.');
    if (bytesRead === 0) return bytes.subarray(0, length);
  }
}
