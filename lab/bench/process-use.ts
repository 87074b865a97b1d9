import { readFile, writeFile } from 'node:fs/promises';

/** What another process uses, as /proc has it. Linux only. */

/** Processor time of all its threads, milliseconds, in steps of 10. */
export async function processorTime(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold spaces.
  const [, , , , , , , , , , , user, system] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(user) + Number(system));
}

/** @returns resident memory now, MiB; from then on the peak is counted */
export async function beginMemoryPeak(pid: number): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  return readMemory(pid, 'VmRSS');
}

/** @returns the most resident memory since then, MiB */
export const readMemoryPeak = (pid: number): Promise<number> => readMemory(pid, 'VmHWM');

async function readMemory(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
