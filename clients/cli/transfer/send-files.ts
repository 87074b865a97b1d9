import pMap from 'p-map';
import { ifSupported } from '../../shared/if-supported.ts';
import { ApiError, checkMedia, uploadFile, type UploadLabels } from '../../typescript/index.ts';
import { openFile } from '../../typescript/node.ts';
import type { Connection } from '../context.ts';
import { changed, CommandError, describeFailure, endsAll } from '../failures.ts';
import { type LocalFile, readFileState } from '../files/find-files.ts';
import { hashFile } from '../files/hash-file.ts';
import type { State } from '../files/state.ts';
import type { Progress } from '../output/progress.ts';

/** What became of a file. */
export type Sent = {
  file: string;
  /** `present`: the workspace had these bytes. `new`: it has not, and nothing was sent (`--dry-run`). */
  result: 'uploaded' | 'present' | 'new' | 'failed';
  media_id: string | null;
  /** Null for a file that could not be read, and for an address. */
  sha256: string | null;
  /** A sentence. */
  error: string | null;
  /** Whether the same file would be refused each time. */
  refused: boolean;
};

export type SendOptions = {
  labels: UploadLabels;
  /** Files that are sent at once. */
  concurrency: number;
  /** Finds out what would be sent, and sends nothing. */
  dryRun: boolean;
  progress: Progress;
  state: State;
  signal: AbortSignal;
  onSent: (sent: Sent) => void;
};

/** Files that are read at once: more would only make a disk seek. */
const readers = 2;

/** The next group is read when the one before was sent, so that sending begins soon. */
const maxGroupBytes = 4 * 2 ** 30;
const maxGroupFiles = 200;

/**
 * Uploads files that the workspace does not have: they are read first, so that nothing is sent twice. What broke off in an earlier run goes on.
 * @throws ApiError for what would fail for all files: no key, no room, no service
 */
export async function sendFiles(files: LocalFile[], connection: Connection, options: SendOptions): Promise<void> {
  // What goes wrong for all ends what is under way.
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const sending: Sending = { ...options, signal, connection, begun: new Map() };
  try {
    for (const group of toGroups(files)) await sendGroup(group, sending);
  } catch (failure) {
    stop.abort();
    options.signal.throwIfAborted();
    throw failure;
  }
}

type SendingOne = Pick<SendOptions, 'labels' | 'progress' | 'signal' | 'state'> & { connection: Connection };

type Sending = SendOptions &
  SendingOne & {
    /** By checksum: of two files with the same bytes one is sent. */
    begun: Map<string, Promise<Sent>>;
  };

function* toGroups(files: LocalFile[]): Generator<LocalFile[]> {
  let [group, bytes]: [LocalFile[], number] = [[], 0];
  for (const file of files) {
    if (group.length > 0 && (group.length === maxGroupFiles || bytes + file.size > maxGroupBytes)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(file);
    bytes += file.size;
  }
  if (group.length > 0) yield group;
}

/** A file whose bytes were read. */
export type ReadFile = {
  file: LocalFile;
  sha256: string;
  /** Of a new item; that of the file unless given. */
  name?: string;
};

async function sendGroup(files: LocalFile[], sending: Sending): Promise<void> {
  const { signal, concurrency, onSent } = sending;
  const read = await pMap(files, (file) => readFile(file, sending), { concurrency: readers, signal });
  const readable = read.filter((each) => each !== null);
  const present = await findPresent(readable, sending);
  const send = async (each: ReadFile) => {
    const id = present.get(each.sha256);
    onSent(id === undefined ? await sendOnce(each, sending) : presentHere(each, id, sending));
  };
  await pMap(readable, send, { concurrency, signal });
}

const toSent = ({ file, sha256 }: ReadFile, what: Partial<Sent> & Pick<Sent, 'result'>): Sent => ({
  file: file.path,
  sha256,
  media_id: null,
  error: null,
  refused: false,
  ...what,
});

/** @returns null for a file that cannot be read, which is reported */
async function readFile(found: LocalFile, { state, progress, signal, onSent }: Sending): Promise<ReadFile | null> {
  const bar = progress.add(`Reading ${found.path}`);
  try {
    // It may have been found long ago: what is noted of it is noted of the file that is there now.
    const file = await readFileState(found.path);
    const known = state.checksumOf(file);
    if (known !== undefined) return { file, sha256: known };
    const sha256 = await hashFile(file.path, signal);
    state.noteChecksum(file, sha256);
    return { file, sha256 };
  } catch (failure) {
    signal.throwIfAborted();
    const error = describeFailure(failure);
    onSent({ file: found.path, result: 'failed', media_id: null, sha256: null, error, refused: false });
    return null;
  } finally {
    bar.remove();
  }
}

/**
 * Uploads a file that was read, unless the workspace has it.
 * @throws ApiError for what would fail for all files
 */
export async function sendReadFile(each: ReadFile, sending: SendingOne): Promise<Sent> {
  const id = (await findPresent([each], sending)).get(each.sha256);
  return id === undefined ? sendFile(each, sending) : presentHere(each, id, sending);
}

function presentHere(each: ReadFile, id: string, { state }: SendingOne): Sent {
  // A run ended before it could record that its upload was complete: when the item is deleted, this leads nowhere.
  state.keepUpload(each.sha256, null);
  return toSent(each, { result: 'present', media_id: id });
}

/** Items of the workspace by their checksums. A service that cannot say gets all files, and finds out by itself. */
async function findPresent(files: ReadFile[], { connection, signal }: SendingOne): Promise<Map<string, string>> {
  const checksums = [...new Set(files.map(({ sha256 }) => sha256))];
  if (checksums.length === 0) return new Map();
  const request = checkMedia({ client: connection.client, body: { sha256: checksums }, signal });
  const { data } = await ifSupported(request, { data: [] });
  return new Map(data.flatMap(({ sha256, media_id: id }) => (id === null ? [] : [[sha256, id]])));
}

async function sendOnce(each: ReadFile, sending: Sending): Promise<Sent> {
  if (sending.dryRun) return toSent(each, { result: 'new' });
  const before = sending.begun.get(each.sha256);
  if (before === undefined) {
    const begun = sendFile(each, sending);
    sending.begun.set(each.sha256, begun);
    return begun;
  }
  const same = await before;
  return { ...same, file: each.file.path, result: same.result === 'failed' ? 'failed' : 'present' };
}

/** Refusals that the same bytes would get again, and deliberate cancellations. A 400 is not among them: it concerns labels, which may have been deleted while a folder is watched. */
const isRefusal = (failure: unknown): boolean =>
  failure instanceof ApiError && ([413, 415, 422].includes(failure.status) || failure.code === 'upload_discarded');

async function sendFile(each: ReadFile, { connection, labels, progress, state, signal }: SendingOne): Promise<Sent> {
  const { file, sha256, name } = each;
  const bar = progress.add(name ?? file.path);
  try {
    // A file that grew since would be sent in part; from here on reading it fails when it changes.
    if ((await readFileState(file.path)).signature !== file.signature) throw new CommandError(changed);
    const { mediaId, duplicate } = await uploadFile(connection.client, await openFile(file.path), {
      ...(name === undefined ? {} : { filename: name }),
      labels,
      sha256,
      signal,
      resume: { address: state.uploadOf(sha256), keep: (address) => state.keepUpload(sha256, address) },
      onProgress: ({ sent, total }) => bar.update(sent, total),
    });
    return toSent(each, { result: duplicate ? 'present' : 'uploaded', media_id: mediaId });
  } catch (failure) {
    signal.throwIfAborted();
    if (endsAll(failure)) throw failure;
    const error = describeFailure(failure, connection.account.url);
    return toSent(each, { result: 'failed', error, refused: isRefusal(failure) });
  } finally {
    bar.remove();
  }
}
