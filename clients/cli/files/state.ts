import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LocalFile } from './find-files.ts';
import { Lines, readIfThere } from './lines.ts';

/**
 * What commands remember between two runs, in the user's folder for state. Nothing of it is needed: without it files are read and sent again.
 * Each line and each file is written at once, so that a command that is killed has kept all but its last word.
 */

/** What `watch` did with a file: the item, or why the service refuses it. */
type SentFile = { id: string } | { refused: string };

/** What is remembered for a workspace. */
export type State = {
  /** The checksum of a file that is as it was when it was last read. */
  checksumOf: (file: LocalFile) => string | undefined;
  noteChecksum: (file: LocalFile, sha256: string) => void;
  /** What became of a file with these bytes. */
  sent: (sha256: string) => SentFile | undefined;
  noteSent: (sha256: string, sent: SentFile) => void;
  /** The address of an upload of these bytes that is under way. */
  uploadOf: (sha256: string) => string | null;
  /** Keeps it; null: it has ended. */
  keepUpload: (sha256: string, address: string | null) => void;
};

/** A service forgets an upload 24 hours after its last byte; what is older than this leads nowhere. */
const maxUploadAgeMs = 48 * 3_600_000;

/** The folder for what is remembered of a workspace alone. */
export const workspaceFolder = (folder: string, baseUrl: string, workspaceId: string): string =>
  path.join(folder, createHash('sha256').update(`${baseUrl}\n${workspaceId}`).digest('hex').slice(0, 16));

/**
 * @param folder the user's folder for state
 * @param baseUrl of the service
 * @param workspaceId of the workspace there
 */
export function openState(folder: string, baseUrl: string, workspaceId: string): State {
  const scope = workspaceFolder(folder, baseUrl, workspaceId);
  const uploads = path.join(scope, 'uploads');
  mkdirSync(uploads, { recursive: true, mode: 0o700 });
  removeOldUploads(uploads);
  const checksums = new Lines<[signature: string, sha256: string]>(path.join(folder, 'checksums.jsonl'));
  const sent = new Lines<SentFile>(path.join(scope, 'sent.jsonl'));
  return {
    checksumOf(file) {
      const [signature, sha256] = checksums.get(path.resolve(file.path)) ?? [];
      return signature === file.signature ? sha256 : undefined;
    },
    noteChecksum: (file, sha256) => checksums.set(path.resolve(file.path), [file.signature, sha256]),
    sent: (sha256) => sent.get(sha256),
    noteSent: (sha256, what) => sent.set(sha256, what),
    uploadOf: (sha256) => readIfThere(path.join(uploads, sha256)).trim() || null,
    keepUpload(sha256, address) {
      const file = path.join(uploads, sha256);
      if (address === null) return rmSync(file, { force: true });
      writeFileSync(`${file}.new`, `${address}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function removeOldUploads(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > maxUploadAgeMs) rmSync(file, { force: true });
  }
}
