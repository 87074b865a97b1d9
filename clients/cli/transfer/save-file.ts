import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../failures.ts';

/** What is fetched. */
type Source = {
  /** Its signed address, asked for before each attempt: one that expires while a long file is fetched is given again. */
  address: () => Promise<string>;
  /** What the address wants beside, such as a key. Then no redirection is followed: it would take them elsewhere. */
  headers?: Record<string, string>;
  /** SHA-256 in hexadecimal, or another checksum, where known: what arrived is compared with it. */
  sha256?: string | undefined;
  sha1?: string | undefined;
  signal: AbortSignal;
  /** Bytes that are there, and of how many; null: the service does not say. */
  onProgress: (saved: number, total: number | null) => void;
};

/** A file to save. */
export type Download = Source & {
  /** Where it is saved. */
  target: string;
  /** Where its bytes are until all are there. What is there already is gone on with, so the name has to name the content. */
  part: string;
  /** Replaces a file that exists. */
  force: boolean;
};

/** Where the bytes go, one after another. */
type Sink = {
  write: (bytes: Uint8Array, position: number) => Promise<void>;
  /** Takes back what was written. @throws CommandError where nothing can be taken back */
  clear: () => Promise<void>;
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
  // A link planted there would lead the bytes to another place.
  const file = await open(download.part, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o666);
  try {
    const state = startState(download);
    await readExisting(file, state);
    const sink = { write: (bytes: Uint8Array, at: number) => writeAll(file, bytes, at), clear: () => file.truncate(0) };
    await fetchAll(sink, state, download);
    await file.sync();
  } finally {
    await file.close();
  }
  await refuseToReplace(download);
  await rename(download.part, download.target);
}

/**
 * Hands the bytes of a file on as they arrive, and goes on where a connection broke off.
 * @throws CommandError where other bytes arrived than the service has: a reader has them by then
 */
export async function streamFile({
  write,
  ...source
}: Omit<Source, 'onProgress'> & { write: (bytes: Uint8Array) => Promise<void> }): Promise<void> {
  const clear = () =>
    Promise.reject(new CommandError('The file changed while it was read: what was written is not all of it.'));
  const state = startState(source);
  await fetchAll({ write, clear }, state, { ...source, onProgress: () => {} });
}

async function refuseToReplace({ target, force }: Download): Promise<void> {
  const existing = await stat(target).catch(() => null);
  if (existing?.isDirectory()) throw new CommandError(`${target} is a folder.`);
  if (existing && !force) throw new CommandError(`${target} exists. --force replaces it.`);
}

async function fetchAll(sink: Sink, state: State, source: Source): Promise<void> {
  const { signal, sha256, sha1 } = source;
  const expected = sha256 ?? sha1;
  for (let attempt = 1; ; attempt++) {
    const before = state.saved;
    try {
      await fetchRest(sink, state, source);
      break;
    } catch (failure) {
      if (signal.aborted || failure instanceof CommandError) throw failure;
      if (state.saved > before) attempt = 0;
      else if (attempt === maxAttempts) throw new CommandError(`The download broke off: ${toReason(failure)}`);
      await pause(firstPause * 2 ** attempt, undefined, { signal });
    }
  }
  if (expected === undefined || state.hash.copy().digest('hex') === expected) return;
  // A part of something else, or of a file that was changed: nothing of it can be used.
  await sink.clear();
  throw new CommandError('What arrived is not what the service has. Run the command again to fetch all of it.');
}

/** `fetch` says what happened in the cause of its failure. */
const toReason = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause instanceof Error ? failure.cause.message : failure.message;
};

type State = { hash: Hash; saved: number };

const startHash = ({ sha1 }: Pick<Source, 'sha1'>): Hash => createHash(sha1 === undefined ? 'sha256' : 'sha1');

const startState = (source: Pick<Source, 'sha1'>): State => ({ hash: startHash(source), saved: 0 });

/** Counts what an earlier command saved. */
async function readExisting(file: FileHandle, state: State): Promise<void> {
  for await (const bytes of file.createReadStream({ start: 0, autoClose: false })) {
    state.hash.update(bytes as Buffer);
    state.saved += (bytes as Buffer).length;
  }
}

/** @throws Error when it ends before all of it is there */
async function fetchRest(sink: Sink, state: State, source: Source): Promise<void> {
  const headers = {
    ...source.headers,
    'Accept-Encoding': 'identity',
    ...(state.saved > 0 ? { Range: `bytes=${state.saved}-` } : {}),
  };
  // The address is signed: the key is not sent to it, which may be a third party's store.
  const response = await fetch(await source.address(), {
    headers,
    signal: source.signal,
    redirect: source.headers === undefined ? 'follow' : 'manual',
  });
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get('Content-Range') ?? '');
  const whole = range?.[2] === undefined || range[2] === '*' ? null : Number(range[2]);
  // The part is as long as the file: only its end was missing.
  if (response.status === 416 && whole === state.saved) return;
  if (response.status === 416 || (response.status === 206 && Number(range?.[1]) !== state.saved)) {
    await startOver(sink, state, source);
    await response.body?.cancel();
    throw new Error('The service sent another part than the one asked for.');
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw refuse(response.status);
  }
  if (response.status === 200 && state.saved > 0) await startOver(sink, state, source);
  const total = whole ?? readLength(response);
  for await (const bytes of response.body) {
    await sink.write(bytes, state.saved);
    state.hash.update(bytes);
    state.saved += bytes.length;
    source.onProgress(state.saved, total);
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

async function startOver(sink: Sink, state: State, source: Source): Promise<void> {
  await sink.clear();
  state.hash = startHash(source);
  state.saved = 0;
}

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
