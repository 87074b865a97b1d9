import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (options: object) => void;
/** Also gives back room for new objects that is empty, as V8 does by itself when nothing happens for a while. */
export const collectGarbage = (): void => gc({ type: 'major', flavor: 'last-resort' });

/**
 * What the process holds for itself, bytes: pages of the database that are mapped into memory are the system's, and what seeding left
 * behind belongs to no process.
 */
export async function privateMemory(): Promise<number> {
  collectGarbage();
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  return 1024 * Number(/RssAnon:\s+(\d+)/.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? 0);
}
