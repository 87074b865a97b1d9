import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { compileCache } from '../../../server/testing/programs.ts';
import { run } from '../program.ts';

const main = path.join(import.meta.dirname, '..', 'main.ts');

/** How a command ended. Bytes of files are characters of Latin-1. */
export type Ended = { code: number; out: string; err: string };

/** What a command of a test finds around it. Its folders of configuration and state are below `home`. */
export type TestSurroundings = {
  home: string;
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Columns of a terminal that data and messages go to; none where it is left out. */
  terminal?: number;
  signal?: AbortSignal;
  /** Is told of data as it is written. */
  onOut?: (text: string) => void;
  /** Is told of messages as they are written. */
  onErr?: (text: string) => void;
};

/** Runs a command in this process, which is many times as quick as in its own. */
export async function runCommand(
  words: string[],
  {
    home,
    env = {},
    input = '',
    terminal,
    signal = new AbortController().signal,
    onOut = () => {},
    onErr = () => {},
  }: TestSurroundings,
): Promise<Ended> {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    ...(terminal === undefined ? {} : { isTTY: true, columns: terminal }),
    write(part: string | Uint8Array, onWritten: () => void = () => {}) {
      const text = typeof part === 'string' ? part : Buffer.from(part).toString('latin1');
      written[name] += text;
      (name === 'out' ? onOut : onErr)(text);
      onWritten();
    },
  });
  const code = await run(words, {
    env,
    // Where they are in a process of its own, too.
    folders: { config: path.join(home, 'media-search'), state: path.join(home, 'media-search') },
    // An interactive terminal is a process of its own.
    stdin: Readable.from(input.length === 0 ? [] : [input]) as unknown as NodeJS.ReadStream,
    stdout: stream('out'),
    stderr: stream('err'),
    signal,
    unread: new AbortController().signal,
  });
  return { code, ...written };
}

/** Starts a command in a process of its own. */
export const spawnCommand = (
  words: string[],
  { home, env = {} }: Pick<TestSurroundings, 'env' | 'home'>,
): ChildProcess =>
  spawn(process.execPath, [main, ...words], {
    env: {
      ...compileCache,
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      PATH: path.dirname(process.execPath),
      ...env,
    },
  });

/** Starts a command in a terminal, by the program `script`. What is written to its standard input is typed. */
export const spawnInTerminal = (
  words: string[],
  { home, env = {} }: Pick<TestSurroundings, 'env' | 'home'>,
): ChildProcess => {
  const command = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ');
  return spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    env: {
      ...compileCache,
      PATH: '/usr/bin:/bin',
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      HOME: home,
      TERM: 'xterm',
      ...env,
    },
  });
};

/** Why a test that needs a terminal is skipped; false where there is one. */
export const withoutTerminal = spawnSync('script', ['--version']).status !== 0;
export const needsTerminal = 'this machine has no `script`, which gives a command a terminal';

/** Waits for the end of a command in a process of its own. */
export async function waitForCommand(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  if (!child.stdout || !child.stderr) throw new Error('No pipes.');
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, out, err };
}
