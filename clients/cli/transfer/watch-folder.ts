import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { watch } from 'chokidar';
import { ApiError, type UploadLabels } from '../../typescript/index.ts';
import type { Connection } from '../context.ts';
import { CommandError, describeFailure } from '../failures.ts';
import type { LocalFile } from '../files/find-files.ts';
import { hashFile } from '../files/hash-file.ts';
import { isMediaName } from '../files/media-extensions.ts';
import { SettlingFiles } from '../files/settling-files.ts';
import type { State } from '../files/state.ts';
import type { Progress } from '../output/progress.ts';
import { type Sent, sendFiles } from './send-files.ts';

export type WatchOptions = {
  folder: string;
  /** How long a file has to be still before it is taken, milliseconds. */
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

/**
 * Sends the media of a folder and what is added to it, until the signal aborts. Bytes that were sent before are not sent again, also when they were
 * deleted in the workspace, moved in the folder, or when the command was started again. Nothing is written in the folder.
 * @throws ApiError when the key is refused
 */
export async function watchFolder(connection: Connection, options: WatchOptions): Promise<void> {
  const { folder, settleMs, signal, onProblem } = options;
  if (!(await stat(folder)).isDirectory()) throw new CommandError(`${folder} is no folder.`);
  const files = new SettlingFiles(settleMs);
  // A link may lead anywhere, and out of the folder.
  const watcher = watch(folder, { followSymlinks: false, ignored: (file) => isHidden(folder, file) });
  const note = (file: string) => {
    if (isMediaName(path.basename(file))) files.note(file, Date.now());
  };
  watcher
    .on('add', note)
    .on('change', note)
    .on('unlink', (file) => files.forget(file))
    .on('error', (failure) => onProblem(`${folder} is not watched as a whole: ${describeFailure(failure)}`));
  try {
    while (!signal.aborted) {
      const still = await files.take(Date.now());
      if (still.length > 0) await send(still, files, connection, options);
      await pause(Math.min(1000, settleMs / 2), undefined, { signal });
    }
  } catch (failure) {
    if (!signal.aborted) throw failure;
  } finally {
    await watcher.close();
  }
}

const isHidden = (folder: string, file: string): boolean =>
  path
    .relative(folder, file)
    .split(path.sep)
    .some((part) => part.startsWith('.') && part !== '.' && part !== '..');

async function send(
  still: LocalFile[],
  files: SettlingFiles,
  connection: Connection,
  options: WatchOptions,
): Promise<void> {
  const { state, onSent, onProblem } = options;
  const waiting = new Set((await leaveOutSent(still, options)).map((file) => file.path));
  const later = (file: string) => files.noteLater(file, Date.now() + retryMs);
  try {
    await sendFiles(
      still.filter((file) => waiting.has(file.path)),
      connection,
      {
        ...options,
        dryRun: false,
        onSent(sent) {
          waiting.delete(sent.file);
          if (sent.sha256 !== null && sent.media_id !== null) state.noteSent(sent.sha256, { id: sent.media_id });
          else if (sent.sha256 !== null && sent.refused) state.noteSent(sent.sha256, { refused: sent.error ?? '' });
          else later(sent.file);
          onSent(sent);
        },
      },
    );
  } catch (failure) {
    // No room, or no service: there may be one later. A key that is refused stays refused.
    if (!(failure instanceof ApiError) || failure.status === 401) throw failure;
    onProblem(`${describeFailure(failure, connection.account.url)} ${waiting.size} to send; trying again in a minute.`);
    for (const file of waiting) later(file);
  }
}

/** The files whose bytes were neither sent nor refused before. One that cannot be read is left to be reported. */
async function leaveOutSent(still: LocalFile[], { state, signal }: WatchOptions): Promise<LocalFile[]> {
  const left: LocalFile[] = [];
  for (const file of still) {
    const known = state.checksumOf(file);
    const sha256 = known ?? (await hashFile(file.path, signal).catch(() => null));
    signal.throwIfAborted();
    if (known === undefined && sha256 !== null) state.noteChecksum(file, sha256);
    if (sha256 === null || state.sent(sha256) === undefined) left.push(file);
  }
  return left;
}
