import { readdir, readFile } from 'node:fs/promises';
import { collectGarbage } from '../private-memory.ts';

/** Memory of processes, bytes, by what it is: their own; pages of files that are mapped; shared memory. */
export type Memory = { own: number; mapped: number; shared: number };

const kinds = { own: 'Anon', mapped: 'File', shared: 'Shmem' };

/** What this process and some others hold. Pages that several share count in parts (Linux only: elsewhere all is zero). */
export async function readMemory(others: number[]): Promise<Memory> {
  collectGarbage();
  const memory: Memory = { own: 0, mapped: 0, shared: 0 };
  if (process.platform !== 'linux') return memory;
  for (const pid of [process.pid, ...others]) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    for (const [key, name] of Object.entries(kinds)) {
      memory[key as keyof Memory] += 1024 * Number(new RegExp(`Pss_${name}:\\s+(\\d+)`).exec(rollup)?.[1] ?? 0);
    }
  }
  return memory;
}

/** The parent of a process and all of its children: a server of several processes. */
export async function processTree(pid: number): Promise<number[]> {
  const parentOf = async (one: number) =>
    Number(/PPid:\s+(\d+)/.exec(await readFile(`/proc/${one}/status`, 'utf8').catch(() => ''))?.[1] ?? 0);
  const parent = await parentOf(pid);
  const all = (await readdir('/proc')).map(Number).filter((one) => one > 0);
  const parents = await Promise.all(all.map(parentOf));
  return [parent, ...all.filter((_, i) => parents[i] === parent)];
}
