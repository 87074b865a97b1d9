import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type UploadLabels } from '../../typescript/index.ts';
import type { Connection } from '../context.ts';
import { describeFailure } from '../failures.ts';
import { findMedia, type LocalFile, readFileState } from '../files/find-files.ts';
import { hashFile } from '../files/hash-file.ts';
import { SettlingFiles } from '../files/settling-files.ts';
import type { State } from '../files/state.ts';
import type { Progress } from '../output/progress.ts';
import { type Sent, sendFiles } from './send-files.ts';

export type WatchOptions = {
  folder: string;
  /** How long a file has to stay as it is before it is taken, milliseconds. */
  settleMs: number;
  labels: UploadLabels;
  concurrency: number;
  progress: Progress;
  state: State;
  signal: AbortSignal;
  /** Is told of what was sent now. */
  onSent: (sent: Sent) => void;
  /** Is told, in a sentence, what goes wrong and is tried again. */
  onProblem: (message: string) => void;
};

/** What could not be sent for the moment is tried again after this time, milliseconds. */
const retryMs = 60_000;

/** The folder is listed so often, milliseconds; a folder of very many files less often, so that it takes a tenth of the time at most. */
const pollMs = 10_000;
const maxShare = 1 / 10;

/** So many files are read and sent before the next are, so that sending begins soon. */
const groupSize = 200;

/**
 * Sends the media of a folder and what is added to it, until the signal aborts. Bytes that were sent before are not sent again, also when they were
 * deleted in the workspace, moved in the folder, or when the command was started again. Nothing is written in the folder.
 *
 * The folder is polled. What systems tell of changes is no help: network drives tell nothing, the number of files that a user may
 * have told of is limited, and a disk that is unplugged and comes back is another one to them.
 * @throws ApiError when the key is refused
 */
export async function watchFolder(connection: Connection, options: WatchOptions): Promise<void> {
  const { folder, settleMs, signal } = options;
  const files = new SettlingFiles(settleMs);
  const watching: Watching = { ...options, files, reported: new Map() };
  let problems: string[] = [];
  try {
    while (!signal.aborted) {
      const began = performance.now();
      const found = await findMedia(folder);
      const took = performance.now() - began;
      files.note(found.files, Date.now());
      const now = found.problems.map(({ error }) => error);
      sayProblems(now, problems, options);
      problems = now;
      const isTaking = await sendAll(connection, watching);
      const untilNext = Math.max(Math.min(pollMs, settleMs / 2), took / maxShare);
      await pause(isTaking ? untilNext : retryMs, undefined, { signal });
    }
  } catch (failure) {
    if (!signal.aborted) throw failure;
  }
}

type Watching = WatchOptions & {
  files: SettlingFiles;
  /** What was said last of each file that is tried again, and of the service by its address. */
  reported: Map<string, string | null>;
};

/** Says each problem once, and that there are none any more. */
function sayProblems(now: string[], before: string[], { folder, onProblem }: WatchOptions): void {
  for (const problem of now) if (!before.includes(problem)) onProblem(`${problem} It is tried again.`);
  if (now.length === 0 && before.length > 0) onProblem(`${folder} can be read again.`);
}

/** Sends what has settled, as long as the service takes files, which is said. */
async function sendAll(connection: Connection, watching: Watching): Promise<boolean> {
  for (;;) {
    const settled = watching.files.take(Date.now(), groupSize);
    if (settled.length === 0) return true;
    if (!(await send(settled, connection, watching))) return false;
  }
}

/**
 * Sends what has not been sent before.
 * @returns whether the service takes files; when it does not, those that wait are due at once
 * @throws ApiError when the key is refused
 */
async function send(settled: LocalFile[], connection: Connection, options: Watching): Promise<boolean> {
  const { files, reported, onSent, onProblem } = options;
  const left = await leaveOutSent(settled, options);
  const waiting = new Set(left.map((file) => file.path));
  try {
    await sendFiles(left, connection, {
      ...options,
      dryRun: false,
      onSent(sent) {
        waiting.delete(sent.file);
        const isDone = noteResult(sent, options);
        if (!isDone) files.takeLater(sent.file, Date.now() + retryMs);
        // Attempts that are repeated each minute are reported once.
        if (isDone || reported.get(sent.file) !== sent.error) onSent(sent);
        if (isDone) reported.delete(sent.file);
        else reported.set(sent.file, sent.error);
      },
    });
    reported.delete(connection.account.url);
    return true;
  } catch (failure) {
    // No room, or no service: there may be one later. A key that is refused stays refused.
    if (!(failure instanceof ApiError) || failure.status === 401) throw failure;
    const message = describeFailure(failure, connection.account.url);
    if (reported.get(connection.account.url) !== message) onProblem(`${message} It is tried again each minute.`);
    reported.set(connection.account.url, message);
    for (const file of waiting) files.takeLater(file, 0);
    return false;
  }
}

/** @returns false for what may succeed later */
function noteResult({ sha256, media_id: id, refused, error }: Sent, { state }: WatchOptions): boolean {
  if (sha256 === null || (id === null && !refused)) return false;
  state.noteSent(sha256, id === null ? { refused: error ?? '' } : { id });
  return true;
}

/** The files whose bytes were neither sent nor refused before. One that cannot be read is left to be reported. */
async function leaveOutSent(settled: LocalFile[], { state, signal }: WatchOptions): Promise<LocalFile[]> {
  const left: LocalFile[] = [];
  for (const file of settled) {
    const now = await readFileState(file.path).catch(() => null);
    // What has changed or gone since is found when the folder is listed next.
    if (now?.signature !== file.signature) continue;
    const known = state.checksumOf(file);
    const sha256 = known ?? (await hashFile(file.path, signal).catch(() => null));
    signal.throwIfAborted();
    if (known === undefined && sha256 !== null) state.noteChecksum(file, sha256);
    if (sha256 === null || state.sent(sha256) === undefined) left.push(file);
  }
  return left;
}
