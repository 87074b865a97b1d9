import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const programs = {
  main: path.join(import.meta.dirname, '..', 'main.ts'),
  admin: path.join(import.meta.dirname, '..', 'admin.ts'),
};

/**
 * Runs a program of ours with these settings and none of the surroundings'; no test fetches a model from the internet.
 * @param options.detached in a process group of its own, which can be signalled as a whole
 */
export const run = (
  program: keyof typeof programs,
  args: string[],
  settings: Record<string, string>,
  { detached = false } = {},
): ChildProcess =>
  spawn(process.execPath, [programs[program], ...args], {
    env: { MODEL_HUB: 'http://127.0.0.1:9', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });

/** Waits for the end of a program. */
export async function outcome(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  if (!child.stdout || !child.stderr) throw new Error('No pipes.');
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

/** Waits for the greeting and reads address and key from it. */
export async function greeting(child: ChildProcess): Promise<{ url: string; key: string; out: string }> {
  let out = '';
  if (!child.stdout) throw new Error('No pipe.');
  for await (const bytes of child.stdout) {
    out += String(bytes);
    if (out.includes('Ctrl-C')) break;
  }
  return { url: /Dashboard +(\S+)/.exec(out)?.[1] ?? '', key: /API key +(service_\S+)/.exec(out)?.[1] ?? '', out };
}
