import { type ChildProcess, fork } from 'node:child_process';
import { inheritedEnvironment } from '../platform/processes/drop-privileges.ts';
import { SourceError, toReadError } from './source-error.ts';
import type {
  FileAnswer,
  FromSourceProcess,
  SourceProcessOptions,
  ToSourceProcess,
} from './source-process-messages.ts';
import type { SourceReader } from './source-reader.ts';
import type { FolderListing } from './walk-folder.ts';

/** A source that answers nothing for so long hangs, milliseconds. */
const hangMs = 20_000;
/** How often it is looked whether it does. */
const lookMs = 1000;
/** Questions that are asked together. */
const questionsTogether = 200;
/** How long the end of an earlier process is waited for, milliseconds. */
const exitMs = 2000;

/** Processes that were ended and are still there, by root: one that waits for a share that hangs goes when that answers. */
const leaving = new Map<string, ChildProcess>();

/** `Omit` for each of several types. */
type WithoutId<Message> = Message extends { id: number } ? Omit<Message, 'id'> : never;
type Answered = { value: unknown } | { listings: FolderListing[] };

/** The process of a folder: it is started when something is asked, and ended when it hangs. */
function createConnection(options: SourceProcessOptions, onChange: (folders: string[]) => void) {
  let child: ChildProcess | undefined;
  let isWatching = false;
  let listings = 0;
  let heard = 0;
  const waiting = new Map<number, { resolve: (answer: Answered) => void; reject: (error: Error) => void }>();

  /** Without being told of changes any may have been missed. A scan that is under way sees by itself what to do. */
  function endWatching(): void {
    const wasWatching = isWatching;
    isWatching = false;
    if (wasWatching && listings === 0) onChange([]);
  }

  function end(error: Error): void {
    const gone = child;
    child = undefined;
    if (gone) kill(options.root, gone);
    endWatching();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function receive(message: FromSourceProcess): void {
    heard += 1;
    if (message.kind === 'alive') return;
    if (message.kind === 'changed') return onChange(message.folders);
    if (message.kind === 'watching') return message.watching ? void (isWatching = true) : endWatching();
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'failed') asked?.reject(toError(message));
    else asked?.resolve(message);
  }

  function start(): ChildProcess {
    const started = startProcess(options, receive, () => {
      if (child === started) end(new SourceError('reading_failed', 'Reading the folder broke off.'));
    });
    return started;
  }

  async function request(message: WithoutId<ToSourceProcess>, id: number): Promise<Answered> {
    await waitForExit(options.root);
    child ??= start();
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    waiting.set(id, { resolve, reject });
    child.send({ ...message, id }, () => undefined);
    return promise.finally(
      whenSilent(
        () => heard,
        () => end(hangsError()),
      ),
    );
  }

  return {
    request,
    isWatching: () => isWatching,
    setListing: (isBegun: boolean) => void (listings += isBegun ? 1 : -1),
    stop: (): void => {
      isWatching = false;
      end(new SourceError('stopped', 'The service stops.'));
    },
  };
}

/**
 * Calls when nothing was heard for long. Time in which this process itself did nothing does not count.
 * @param countHeard how many messages came @returns ends it
 */
function whenSilent(countHeard: () => number, onSilent: () => void): () => void {
  let heard = countHeard();
  let silentMs = 0;
  let timer = setTimeout(look, lookMs);
  function look(): void {
    silentMs = countHeard() === heard ? silentMs + lookMs : 0;
    heard = countHeard();
    if (silentMs >= hangMs) onSilent();
    else timer = setTimeout(look, lookMs);
  }
  return () => clearTimeout(timer);
}

/**
 * Reads a folder by a process of its own (`source-process.ts`), which is started when it is first needed, and ended when it hangs.
 * @param onChange is told of the folders in which something changed; none: any may have
 */
export function createFolderReader(options: SourceProcessOptions, onChange: (folders: string[]) => void): SourceReader {
  const { request, setListing, isWatching, stop } = createConnection(options, onChange);
  let last = 0;
  const ask = async (message: WithoutId<ToSourceProcess>) => {
    const answer = await request(message, ++last);
    return 'value' in answer ? answer.value : null;
  };

  return {
    root: () => ask({ kind: 'root' }) as ReturnType<SourceReader['root']>,
    async ask(questions) {
      const answers: FileAnswer[] = [];
      for (let at = 0; at < questions.length; at += questionsTogether)
        answers.push(
          ...((await ask({ kind: 'ask', questions: questions.slice(at, at + questionsTogether) })) as FileAnswer[]),
        );
      return answers;
    },
    async *list(folders) {
      const id = ++last;
      setListing(true);
      try {
        let answer = await request({ kind: 'list', folders }, id);
        while ('listings' in answer) {
          yield answer.listings;
          answer = await request({ kind: 'next' }, id);
        }
      } finally {
        setListing(false);
      }
    },
    identifiesContent: false,
    isWatching,
    stop,
  };
}

/** The codes of `SourceError`; those of the system are in capitals. */
const ownCode = /^[a-z_]+$/;

/** What the process failed with. */
function toError({ code, message }: { code: string | null; message: string }): Error {
  if (code !== null && ownCode.test(code)) return new SourceError(code, message);
  return toReadError(Object.assign(new Error(message), { code })) as Error;
}

const hangsError = (): SourceError => new SourceError('hangs', `It has answered nothing for ${hangMs / 1000} seconds.`);

/** Ends a process, which may take as long as a call to a share that hangs. */
function kill(root: string, child: ChildProcess): void {
  child.kill('SIGKILL');
  const isThere = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!isThere) return;
  leaving.set(root, child);
  child.on('exit', () => {
    if (leaving.get(root) === child) leaving.delete(root);
  });
}

/** Waits until the earlier process of a root is gone: a new one would hang too, and processes would pile up. Throws `SourceError` (`hangs`). */
async function waitForExit(root: string): Promise<void> {
  const child = leaving.get(root);
  if (!child) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(hangsError()), exitMs);
  child.once('exit', () => resolve());
  await promise.finally(() => clearTimeout(timer));
}

function startProcess(
  options: SourceProcessOptions,
  onMessage: (message: FromSourceProcess) => void,
  onEnd: () => void,
): ChildProcess {
  const child = fork(new URL('./source-process.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: [],
    env: inheritedEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return child.on('exit', onEnd).on('error', onEnd).on('message', onMessage);
}
