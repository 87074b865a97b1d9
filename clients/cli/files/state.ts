import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { LocalFile } from './find-files.ts';

/**
 * What commands remember between two runs, in the user's folder for state. Nothing of it is needed: without it files are read and sent again.
 * Each line and each file is written at once, so that a command that is killed has kept all but its last word.
 */

/** Values by a key, a line each; a later line counts before an earlier one. */
class Lines<Value> {
  readonly #file: string;
  readonly #values = new Map<string, Value>();

  constructor(file: string) {
    this.#file = file;
    const text = readIfThere(file);
    // What a killed command began is a line of its own, which says nothing.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
    const lines = text.split('\n');
    for (const line of lines) {
      const entry = parse(line) as [string, Value] | null;
      if (Array.isArray(entry)) this.#values.set(entry[0], entry[1]);
    }
    // Most lines are old ones: what counts is written again.
    if (lines.length > 1000 && lines.length > 2 * this.#values.size) this.#rewrite();
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    // Several commands may add lines at once: one short write at the end of a file is whole.
    appendFileSync(this.#file, toLine(key, value), { mode: 0o600 });
  }

  #rewrite(): void {
    const written = `${this.#file}.${process.pid}.new`;
    writeFileSync(written, [...this.#values].map(([key, value]) => toLine(key, value)).join(''), { mode: 0o600 });
    renameSync(written, this.#file);
  }
}

const toLine = (key: string, value: unknown): string => `${JSON.stringify([key, value])}\n`;

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A line that was cut off says nothing. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

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

/**
 * @param folder the user's folder for state
 * @param baseUrl of the service
 * @param workspaceId of the workspace there
 */
export function openState(folder: string, baseUrl: string, workspaceId: string): State {
  const scope = createHash('sha256').update(`${baseUrl}\n${workspaceId}`).digest('hex').slice(0, 16);
  const uploads = path.join(folder, scope, 'uploads');
  mkdirSync(uploads, { recursive: true, mode: 0o700 });
  removeOldUploads(uploads);
  const checksums = new Lines<[signature: string, sha256: string]>(path.join(folder, 'checksums.jsonl'));
  const sent = new Lines<SentFile>(path.join(folder, scope, 'sent.jsonl'));
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
