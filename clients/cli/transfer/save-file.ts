import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../failures.ts';

/** A file to save. */
export type Download = {
  /** Its signed address, asked for before each attempt: one that expires while a long file is fetched is given again. */
  address: () => Promise<string>;
  /** Where it is saved. */
  target: string;
  /** Where its bytes are until all are there. What is there already is gone on with, so the name has to name the content. */
  part: string;
  /** SHA-256 in hexadecimal, where known: what is saved is compared with it. */
  sha256: string | undefined;
  /** Replaces a file that exists. */
  force: boolean;
  signal: AbortSignal;
  /** Bytes that are there, and of how many; null: the service does not say. */
  onProgress: (saved: number, total: number | null) => void;
};

/** A connection that breaks this often in a row without a byte is given up. */
const maxAttempts = 5;

/** Between two attempts, milliseconds; each time twice as long. */
const firstPause = 500;

/**
 * Fetches a file into its part, goes on where a connection broke off or an earlier command ended, and gives it its name when it is whole.
 * @throws CommandError, or the failure of the connection; the part stays
 */
export async function saveFile(download: Download): Promise<void> {
  await refuseToReplace(download);
  // A link that somebody else put there would lead the bytes to another place.
  const file = await open(download.part, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o666);
  try {
    await fetchAll(file, download);
    await file.sync();
  } finally {
    await file.close();
  }
  await refuseToReplace(download);
  await rename(download.part, download.target);
}

async function refuseToReplace({ target, force }: Download): Promise<void> {
  const existing = await stat(target).catch(() => null);
  if (existing?.isDirectory()) throw new CommandError(`${target} is a folder.`);
  if (existing && !force) throw new CommandError(`${target} exists. --force replaces it.`);
}

async function fetchAll(file: FileHandle, download: Download): Promise<void> {
  const { signal, sha256 } = download;
  const state = { hash: createHash('sha256'), saved: 0 };
  await readExisting(file, state);
  for (let attempt = 1; ; attempt++) {
    const before = state.saved;
    try {
      await fetchRest(file, state, download);
      break;
    } catch (failure) {
      if (signal.aborted || failure instanceof CommandError) throw failure;
      if (state.saved > before) attempt = 0;
      else if (attempt === maxAttempts) throw new CommandError(`The download broke off: ${toReason(failure)}`);
      await pause(firstPause * 2 ** attempt, undefined, { signal });
    }
  }
  if (sha256 === undefined || state.hash.copy().digest('hex') === sha256) return;
  // A part of something else, or of a file that was changed: nothing of it can be used.
  await file.truncate(0);
  throw new CommandError('What arrived is not what the service has. Run the command again to fetch all of it.');
}

/** `fetch` says what happened in the cause of its failure. */
const toReason = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause instanceof Error ? failure.cause.message : failure.message;
};

type State = { hash: Hash; saved: number };

/** Counts what an earlier command saved. */
async function readExisting(file: FileHandle, state: State): Promise<void> {
  for await (const bytes of file.createReadStream({ start: 0, autoClose: false })) {
    state.hash.update(bytes as Buffer);
    state.saved += (bytes as Buffer).length;
  }
}

/** @throws Error when it ends before all of it is there */
async function fetchRest(file: FileHandle, state: State, download: Download): Promise<void> {
  const headers = {
    'Accept-Encoding': 'identity',
    ...(state.saved > 0 ? { Range: `bytes=${state.saved}-` } : {}),
  };
  // The address is signed: the key is not sent to it, which may be a store of somebody else.
  const response = await fetch(await download.address(), { headers, signal: download.signal });
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get('Content-Range') ?? '');
  const whole = range?.[2] === undefined || range[2] === '*' ? null : Number(range[2]);
  // The part is as long as the file: only its end was missing.
  if (response.status === 416 && whole === state.saved) return;
  if (response.status === 416 || (response.status === 206 && Number(range?.[1]) !== state.saved)) {
    await startOver(file, state);
    await response.body?.cancel();
    throw new Error('The service sent another part than the one asked for.');
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw refuse(response.status);
  }
  if (response.status === 200 && state.saved > 0) await startOver(file, state);
  const total = whole ?? readLength(response);
  for await (const bytes of response.body) {
    await writeAll(file, bytes, state.saved);
    state.hash.update(bytes);
    state.saved += bytes.length;
    download.onProgress(state.saved, total);
  }
  if (total !== null && state.saved !== total) throw new Error('The connection ended early.');
}

/** A refusal that another attempt would get as well ends the download. */
const refuse = (status: number): Error => {
  const message = `The service answered with status ${status}.`;
  return status >= 500 || status === 429 ? new Error(message) : new CommandError(message);
};

function readLength({ headers }: Response): number | null {
  const length = headers.get('Content-Length');
  return length === null ? null : Number(length);
}

async function startOver(file: FileHandle, state: State): Promise<void> {
  await file.truncate(0);
  state.hash = createHash('sha256');
  state.saved = 0;
}

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
