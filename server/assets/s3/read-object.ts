import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { BucketClient } from './bucket-client.ts';
import { brokenAnswer } from './bucket-client.ts';

/** What is asked for in one request, bytes. */
const windowBytes = 4 * 2 ** 20;
/** A window that breaks off is asked for so often in all. */
const maxAttempts = 5;

/** An object as it was when its reading began. */
export type ObjectVersion = { key: string; bytes: number; etag: string | undefined };

/**
 * Reads a range of an object in windows, each of which arrives whole or is asked for again: the SDK does not repeat an answer that breaks
 * off, and a reader that pauses (a paused video) would hold a connection until it is given up. The next window is fetched while one is
 * read. Throws ENOENT, `StorageError`, and the signal's reason.
 * @param range first and last byte, both included
 */
export async function* readWindows(
  client: BucketClient,
  object: ObjectVersion,
  range: { start: number; end: number },
  { signal, ahead = 1, size = windowBytes }: { signal?: AbortSignal | undefined; ahead?: number; size?: number } = {},
): AsyncGenerator<Buffer> {
  const ending = new AbortController();
  const either = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const fetched: Promise<Buffer>[] = [];
  let next = range.start;
  const fetchNext = () => {
    if (next > range.end) return;
    const start = next;
    const end = Math.min(range.end, start + size - 1);
    next = end + 1;
    const window = fetchWindow(client, object, { start, end }, either);
    window.catch(() => undefined);
    fetched.push(window);
  };
  try {
    for (let i = 0; i <= ahead; i++) fetchNext();
    for (let window = fetched.shift(); window; window = fetched.shift()) {
      const block = await window;
      yield block;
      fetchNext();
    }
  } finally {
    ending.abort();
  }
}

/** The same as a stream. @param find finds the object; null: there is none */
export function streamObject(
  client: BucketClient,
  find: () => Promise<ObjectVersion | null>,
  range?: { start: number; end: number },
): Readable {
  async function* blocks(): AsyncGenerator<Buffer> {
    const object = await find();
    if (!object) throw Object.assign(new Error('ENOENT: no such object'), { code: 'ENOENT' });
    yield* readWindows(client, object, range ?? { start: 0, end: object.bytes - 1 });
  }
  return Readable.from(blocks(), { objectMode: false, highWaterMark: 1 });
}

async function fetchWindow(
  client: BucketClient,
  { key, etag }: ObjectVersion,
  { start, end }: { start: number; end: number },
  signal: AbortSignal,
): Promise<Buffer> {
  const { sdk, settings, ask } = client;
  for (let attempt = 1; ; attempt++) {
    const parameters = { Bucket: settings.bucket, Key: key, Range: `bytes=${start}-${end}`, IfMatch: etag };
    const answer = await ask((s3) => s3.send(new sdk.GetObjectCommand(parameters), { abortSignal: signal }), signal);
    const block = await answer.Body?.transformToByteArray().catch(() => undefined);
    signal.throwIfAborted();
    if (block?.length === end - start + 1) return Buffer.from(block.buffer, block.byteOffset, block.length);
    if (attempt >= maxAttempts) throw brokenAnswer('a part of a file only');
    await delay(100 * 2 ** attempt * Math.random(), undefined, { signal });
  }
}
