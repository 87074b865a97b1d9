import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ExportMoment } from '../../../contract/exports.ts';
import { type AssetStore, original } from '../../assets/asset-store.ts';
import { checkLength } from '../../assets/check-original.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { ExportPool } from './export-pool.ts';
import { clipName, endingOfClip, createUniqueNames, toSafeName } from './file-names.ts';
import { findMoments, isPart, spanOf } from './moments.ts';

/** A file of an archive. */
export type ZipEntry = { name: string; input: AsyncIterable<Buffer> | string; lastModified: Date };

/** What the directory at the end says of a file. */
type Listed = { name: Buffer; time: Buffer; crc: number; size: number; offset: number };

/** Sizes and offsets from here on do not fit into 32 bits. */
const limit32 = 0xffff_ffff;
const [version, utf8WithDescriptor] = [45, 0x0808];

/**
 * Writes a ZIP archive piece by piece (APPNOTE 6.3, ZIP64 where it is needed). Files are stored as they are; their sizes and checksums follow them.
 * Checksums come from zlib: those of libraries for browsers are computed in JavaScript, byte by byte, and keep the thread that answers requests busy for
 * seconds a gigabyte.
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const listed: Listed[] = [];
  let offset = 0;
  for await (const { name, input, lastModified } of entries) {
    const entry = { name: Buffer.from(name), time: toDosTime(lastModified), crc: 0, size: 0, offset };
    const head = writeLocalHead(entry);
    yield head;
    for await (const bytes of typeof input === 'string' ? [Buffer.from(input)] : input) {
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      yield bytes;
    }
    const descriptor = writeDescriptor(entry);
    yield descriptor;
    offset += head.length + entry.size + descriptor.length;
    listed.push(entry);
  }
  const directory = listed.map(writeListed);
  yield* directory;
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  yield writeEnd({ count: listed.length, size, offset }, offset >= limit32 || listed.some(isLarge));
}

const isLarge = ({ size }: Listed): boolean => size >= limit32;

/** Little-endian numbers of 2, 4 and 8 bytes. */
function pack(...fields: [value: number, bytes: 2 | 4 | 8][]): Buffer {
  const packed = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0));
  let place = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 8) packed.writeBigUInt64LE(BigInt(value), place);
    else packed.writeUIntLE(value, place, bytes);
    place += bytes;
  }
  return packed;
}

/** Local time in steps of two seconds, as MS-DOS wrote it. */
function toDosTime(date: Date): Buffer {
  const time = (date.getSeconds() >> 1) | (date.getMinutes() << 5) | (date.getHours() << 11);
  const day = date.getDate() | ((date.getMonth() + 1) << 5) | ((date.getFullYear() - 1980) << 9);
  return pack([time, 2], [day, 2]);
}

const writeLocalHead = ({ name, time }: Listed): Buffer =>
  Buffer.concat([
    pack([0x0403_4b50, 4], [version, 2], [utf8WithDescriptor, 2], [0, 2]),
    time,
    pack([0, 4], [0, 4], [0, 4], [name.length, 2], [0, 2]),
    name,
  ]);

function writeDescriptor(entry: Listed): Buffer {
  const bytes = isLarge(entry) ? 8 : 4;
  return pack([0x0807_4b50, 4], [entry.crc, 4], [entry.size, bytes], [entry.size, bytes]);
}

function writeListed(entry: Listed): Buffer {
  const { name, time, crc, size, offset } = entry;
  const sizes = isLarge(entry) ? [size, size] : [];
  const isFar = offset >= limit32;
  const extra =
    isFar || isLarge(entry)
      ? pack([1, 2], [8 * (sizes.length + 1), 2], ...[...sizes, offset].map((value): [number, 8] => [value, 8]))
      : Buffer.alloc(0);
  const small = Math.min(limit32, size);
  return Buffer.concat([
    // Made by Unix, from where the permissions are: a file that all may read.
    pack([0x0201_4b50, 4], [(3 << 8) | version, 2], [version, 2], [utf8WithDescriptor, 2], [0, 2]),
    time,
    pack([crc, 4], [small, 4], [small, 4], [name.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2]),
    pack([0, 2], [0o100664, 2], [Math.min(limit32, offset), 4]),
    name,
    extra,
  ]);
}

function writeEnd({ count, size, offset }: { count: number; size: number; offset: number }, isZip64: boolean): Buffer {
  const large = isZip64
    ? pack(
        [0x0606_4b50, 4],
        [44, 8],
        [(3 << 8) | version, 2],
        [version, 2],
        [0, 4],
        [0, 4],
        [count, 8],
        [count, 8],
        [size, 8],
        [offset, 8],
        [0x0706_4b50, 4],
        [0, 4],
        [offset + size, 8],
        [1, 4],
      )
    : Buffer.alloc(0);
  const few = Math.min(0xffff, count);
  const small = [size, offset].map((value): [number, 4] => [Math.min(limit32, value), 4]);
  return Buffer.concat([large, pack([0x0605_4b50, 4], [0, 2], [0, 2], [few, 2], [few, 2], ...small, [0, 2])]);
}

type ZipSources = { db: Catalog; assets: AssetStore; scratch: Scratch; pool: ExportPool };

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
    } else if (media.type !== 'image' && isPart(moment)) {
      yield* cutEntry(sources, { moment, media }, { toUnique, errors }, signal);
    } else {
      const away = await findReason(sources.assets, media);
      if (away !== null) {
        errors.push(`${moment.name ?? media.filename}: ${away}`);
        continue;
      }
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

/** Why an original in a source is not to be read now, as a sentence; null: it can be. Of uploads `checkLength` has said it. */
async function findReason(assets: AssetStore, media: MediaRow): Promise<string | null> {
  if (media.source_id === null) return null;
  try {
    await assets.stat(original(media));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
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
    errors.push(`${name}: it ends before this moment.`);
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
    const ending = endingOfClip(media.type);
    const named = moment.name === undefined ? clipName(media.filename, span, ending) : `${moment.name}.${ending}`;
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
