import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const programs = {
  main: path.join(import.meta.dirname, '..', 'main.ts'),
  admin: path.join(import.meta.dirname, '..', 'admin.ts'),
};

const folder = process.env['NODE_COMPILE_CACHE'];

/** The variable of a folder for compiled modules, where the tests run with one: programs then start in half the time. */
export const compileCache: Record<string, string> = folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };

/**
 * Runs a program of the service with these settings and none of the surroundings'. Unless they say otherwise it has the embedder that starts
 * quickest, and no test fetches a model from the internet.
 * @param options.stderr a file descriptor in the place of a pipe for its errors
 * @param options.detached in a process group of its own, which can be signalled as a whole
 */
export const spawnProgram = (
  program: keyof typeof programs,
  args: string[],
  settings: Record<string, string>,
  { detached = false, stderr = 'pipe' }: { detached?: boolean; stderr?: 'pipe' | number } = {},
): ChildProcess =>
  spawn(process.execPath, [programs[program], ...args], {
    env: {
      EMBEDDER: 'descriptors',
      OCR: 'off',
      SPEECH: 'off',
      MODEL_HUB: 'http://127.0.0.1:9',
      ...compileCache,
      ...settings,
    },
    stdio: ['ignore', 'pipe', stderr],
    detached,
  });

/** Waits for the end of a program. */
export async function waitForExit(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  if (!child.stdout || !child.stderr) throw new Error('No pipes.');
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

/** Waits for the greeting and reads address and key from it. */
export async function readGreeting(child: ChildProcess): Promise<{ url: string; key: string; out: string }> {
  let out = '';
  if (!child.stdout) throw new Error('No pipe.');
  for await (const bytes of child.stdout) {
    out += String(bytes);
    if (out.includes('Ctrl-C')) break;
  }
  return {
    url: /(?:Dashboard|Listens on) +(\S+)/.exec(out)?.[1] ?? '',
    key: /API key +(service_\S+)/.exec(out)?.[1] ?? '',
    out,
  };
}

/** Runs `admin` on a data folder to its end. */
export const runAdmin = (
  dataDirectory: string,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> =>
  waitForExit(spawnProgram('admin', args, { DATA_DIR: dataDirectory, PORT: '8080' }));

/**
 * Begins `admin` and ends it by force as soon as a file that was not there before has such a name, somewhere in a folder.
 * @returns false when it had ended by itself before that
 */
export async function killWhenFileAppears(
  dataDirectory: string,
  args: string[],
  watched: string,
  name: RegExp,
): Promise<boolean> {
  const list = async () => readdir(watched, { recursive: true }).catch((): string[] => []);
  const before = new Set(await list());
  const child = spawnProgram('admin', args, { DATA_DIR: dataDirectory });
  const ended = waitForExit(child);
  for (let isStopped = false; child.exitCode === null && child.signalCode === null;) {
    const names = (await list()).filter((each) => !before.has(each));
    if (names.some((each) => name.test(path.basename(each)))) {
      child.kill('SIGKILL');
      break;
    }
    if (isStopped) child.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 2));
    // Once it has written a file, it is stopped while the folder is listed: this process may be slow beside other tests.
    isStopped = names.length > 0 && child.exitCode === null;
    if (isStopped) child.kill('SIGSTOP');
  }
  return (await ended).code === null;
}
