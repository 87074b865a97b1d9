import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

/** Every process that this one has started since the import, the oldest first. */
const startedProcesses: ChildProcess[] = [];

subscribe('child_process', (message) => startedProcesses.push((message as { process: ChildProcess }).process));

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** Processes of this test that run this file. */
export const runningProcesses = (file: string): ChildProcess[] =>
  startedProcesses.filter((child) => isRunning(child) && child.spawnargs.some((each) => each.endsWith(file)));
