import { type HashOptions, hashStream } from '../platform/storage/hash-file.ts';
import { type AssetStore, original, type OriginalOwner } from './asset-store.ts';

/** What is wrong with an original: its file is not there, or it does not hold what was uploaded. */
export type OriginalProblem = 'original_missing' | 'original_damaged';

/**
 * Compares the length of an original with what was uploaded. It costs one `stat` call. One in a source is not the service's: its scans compare it.
 */
export async function checkLength(
  assets: AssetStore,
  media: OriginalOwner & { size: number },
): Promise<OriginalProblem | null> {
  if (media.source_id !== null) return null;
  try {
    const status = await assets.stat(original(media));
    if (!status) return 'original_missing';
    return status.bytes === media.size ? null : 'original_damaged';
  } catch (error) {
    return toOriginalProblem(error);
  }
}

/**
 * Reads a complete original and compares its checksum with that of the upload.
 * Throws the signal's reason when aborted, and errors that say nothing about the file (EMFILE).
 */
export async function checkChecksum(
  assets: AssetStore,
  media: OriginalOwner & { size: number; sha256: string },
  options: HashOptions = {},
): Promise<OriginalProblem | null> {
  const problem = await checkLength(assets, media);
  if (problem !== null || media.source_id !== null) return problem;
  try {
    const checksum = await hashStream(assets.read(original(media)), options);
    return checksum === media.sha256 ? null : 'original_damaged';
  } catch (error) {
    return toOriginalProblem(error);
  }
}

/** Maps a read error to a problem of the original: the file is missing, or it cannot be read. */
function toOriginalProblem(error: unknown): OriginalProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'original_missing';
  if (['EIO', 'EACCES', 'EPERM', 'EISDIR'].includes(code)) return 'original_damaged';
  throw error;
}
