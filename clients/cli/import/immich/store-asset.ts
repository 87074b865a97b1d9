import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { mapPath, type PathMap } from '../../../../contract/map-path.ts';
import type { Connection } from '../../context.ts';
import { describeFailure, endsAll, isDiskFull } from '../../failures.ts';
import { readFileState } from '../../files/find-files.ts';
import { hashFile } from '../../files/hash-file.ts';
import type { State } from '../../files/state.ts';
import type { Progress } from '../../output/progress.ts';
import { saveFile } from '../../transfer/save-file.ts';
import { sendReadFile } from '../../transfer/send-files.ts';
import type { Sources } from '../find-in-sources.ts';
import type { Asset } from './library.ts';
import type { ImmichServer } from './server.ts';

/** What became of an asset. */
export type Stored =
  /** `referenced`: its original is indexed where it lies. `present`: the workspace had its bytes. */
  | { result: 'referenced' | 'copied' | 'present'; mediaId: string; sha256: string | null }
  /** Its original lies in a source that has not been scanned so far. */
  | { result: 'waiting' }
  | { result: 'failed'; error: string; refused: boolean };

export type Storing = {
  server: ImmichServer;
  connection: Connection;
  sources: Sources;
  maps: PathMap[];
  state: State;
  /** Where originals are between their download and their upload. */
  downloads: string;
  progress: Progress;
  signal: AbortSignal;
};

/** The item of an original that the service has in place; null: it has to be copied. */
export async function findInPlace({ path: file }: Asset, { maps, sources }: Pick<Storing, 'maps' | 'sources'>) {
  const mapped = mapPath(file, maps);
  if (mapped === null) return null;
  const found = await sources.find(mapped);
  return found.kind === 'none' ? null : found;
}

/**
 * Makes an asset an item: the one that is in its place, or a copy.
 * @throws ApiError or the failure of the disk for what fails for all assets, and the signal's reason
 */
export async function storeAsset(asset: Asset, storing: Storing): Promise<Stored> {
  const { connection, signal } = storing;
  try {
    const found = await findInPlace(asset, storing);
    if (found?.kind === 'item') return { result: 'referenced', mediaId: found.mediaId, sha256: null };
    return found === null ? await copyAsset(asset, storing) : { result: 'waiting' };
  } catch (failure) {
    signal.throwIfAborted();
    if (endsAll(failure) || isDiskFull(failure)) throw failure;
    return { result: 'failed', error: describeFailure(failure, connection.account.url), refused: false };
  }
}

async function copyAsset(asset: Asset, storing: Storing): Promise<Stored> {
  const { signal } = storing;
  const file = await download(asset, storing);
  const sha256 = await hashFile(file, signal);
  const read = { file: await readFileState(file), sha256, name: asset.name };
  const { result, media_id: mediaId, error, refused } = await sendReadFile(read, { ...storing, labels: {} });
  // Not where the upload was interrupted: the next run goes on with it.
  await rm(file, { force: true });
  if (mediaId === null) return { result: 'failed', error: error ?? '', refused };
  return { result: result === 'present' ? 'present' : 'copied', mediaId, sha256 };
}

/** @returns where the original is, whole; what broke off in an earlier run goes on, unless the original was replaced since */
async function download(asset: Asset, { server, downloads, progress, signal }: Storing): Promise<string> {
  // The name of an asset may be a path, so it names no file.
  const version = createHash('sha256').update(asset.version).digest('hex').slice(0, 16);
  const file = path.join(downloads, `${asset.id}-${version}`);
  if (existsSync(file)) return file;
  const bar = progress.add(asset.name);
  try {
    await saveFile({
      address: () => Promise.resolve(`${server.url}/assets/${asset.id}/original`),
      headers: server.headers,
      sha1: asset.sha1 ?? undefined,
      target: file,
      part: `${file}.part`,
      force: false,
      signal,
      onProgress: (saved, total) => bar.update(saved, total ?? asset.size),
    });
  } finally {
    bar.remove();
  }
  return file;
}
