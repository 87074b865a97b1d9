import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ModelError } from '../model-error.ts';
import { isDataOf } from './model-folder.ts';
import type { Preset } from './presets.ts';

/** A file on the hub, with the checksum that it must have. */
type RemoteFile = { path: string; size: number; checksum: { kind: 'sha256' | 'git'; hex: string } };

type Listing = { type: string; path: string; size: number; oid: string; lfs?: { oid: string; size: number } }[];

/** A hub that sends no data for this long counts as unreachable. */
const stallTimeoutMs = 30_000;

/**
 * Downloads a model from a hub into `folder`, which appears only when it is complete and correct. An interrupted download is resumed from
 * a partial folder beside it. Throws `ModelError`, and the signal's reason when aborted.
 * @param hub base URL of a hub with the API of Hugging Face
 * @param onProgress gets the number of bytes that have arrived, and of all
 */
export async function downloadModel(
  preset: Preset,
  folder: string,
  { hub, onProgress, signal }: { hub: string; onProgress: (done: number, total: number) => void; signal: AbortSignal },
): Promise<void> {
  const { sha } = (await fetchJson(`${hub}/api/models/${preset.repository}/revision/main`, signal)) as { sha: string };
  const tree = await fetchJson(`${hub}/api/models/${preset.repository}/tree/${sha}?recursive=true`, signal);
  const files = chooseFiles(tree as Listing, preset);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  // A partial download of another revision cannot be resumed.
  const partial = `${folder}.${sha.slice(0, 12)}.partial`;
  await mkdir(partial, { recursive: true });
  let before = 0;
  for (const file of files) {
    const target = path.join(partial, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    await fetchFile(`${hub}/${preset.repository}/resolve/${sha}/${file.path}`, target, file, signal, (done) =>
      onProgress(before + done, total),
    );
    before += file.size;
  }
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

/** The files that are needed, and beside each file of weights the numbers that the hub has apart from it. */
function chooseFiles(listing: Listing, preset: Preset): RemoteFile[] {
  const present = listing.filter(({ type }) => type === 'file');
  return preset.files.flatMap((name) => {
    const entry = present.find((each) => each.path === name);
    if (!entry) throw new ModelError(`The model ${preset.name} has no ${name} on the hub.`);
    return [entry, ...present.filter((each) => isDataOf(name, each.path))].map(toRemoteFile);
  });
}

const toRemoteFile = ({ path: name, size, oid, lfs }: Listing[number]): RemoteFile =>
  lfs
    ? { path: name, size: lfs.size, checksum: { kind: 'sha256', hex: lfs.oid } }
    : { path: name, size, checksum: { kind: 'git', hex: oid } };

async function request(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(stallTimeoutMs)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ModelError(`${new URL(url).host} cannot be reached.`, { cause: error });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new ModelError(`${new URL(url).host} answered ${response.status} for ${new URL(url).pathname}.`);
}

const fetchJson = async (url: string, signal: AbortSignal): Promise<unknown> => (await request(url, signal)).json();

/** Downloads the missing rest of a file, and verifies all of it. */
async function fetchFile(
  url: string,
  target: string,
  file: RemoteFile,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  const existingBytes = await stat(target).then(
    ({ size }) => size,
    () => 0,
  );
  if (existingBytes !== file.size)
    await downloadRest(
      url,
      target,
      { from: existingBytes < file.size ? existingBytes : 0, size: file.size },
      signal,
      onProgress,
    );
  if ((await computeChecksum(target, file)) !== file.checksum.hex) {
    // A resumed download would stay wrong.
    await rm(target);
    throw new ModelError(`${file.path} did not arrive as it should; it will be fetched again.`);
  }
  onProgress(file.size);
}

async function downloadRest(
  url: string,
  target: string,
  { from, size }: { from: number; size: number },
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new ModelError(`${new URL(url).host} went silent.`)), stallTimeoutMs);
  try {
    const both = AbortSignal.any([signal, stalled.signal]);
    const response = await fetch(url, { headers: from > 0 ? { Range: `bytes=${from}-` } : {}, signal: both });
    if (!response.ok || !response.body) throw new ModelError(`The hub answered ${response.status} for ${url}.`);
    // A server without support for ranges sends all of it.
    let done = response.status === 206 ? from : 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          timer.refresh();
          done += piece.length;
          // Such a download could fill the disk.
          if (done > size)
            throw new ModelError(`The hub sent more than the ${size} bytes of ${path.basename(target)}.`);
          onProgress(done);
          controller.enqueue(piece);
        },
      }),
    );
    await pipeline(counted, createWriteStream(target, { flags: response.status === 206 ? 'a' : 'w' }), {
      signal: both,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ModelError
      ? error
      : new ModelError(`The download of ${path.basename(target)} broke off.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The SHA-256 of a file, or its identifier in git: SHA-1 with a header. */
async function computeChecksum(target: string, { checksum, size }: RemoteFile): Promise<string> {
  const hash: Hash = checksum.kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
  await pipeline(createReadStream(target), hash);
  return hash.digest('hex');
}
