import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Methods } from './engine-process.ts';

/** An engine in a process of its own: its methods, from here. */
export type EngineClient = Methods;

type Answer = { id: number; result?: unknown; error?: string };

/** Starts the process of an engine. `close` ends it. */
export function startEngine(): EngineClient {
  const child = fork(path.join(import.meta.dirname, 'engine-process.ts'), {
    serialization: 'advanced',
    env: {
      ...process.env,
      // LanceDB warns of a later version at every search, and writing that takes time.
      LANCEDB_LOG: 'error',
      // The service has compiled modules on disk as well (`server/main.ts`): without it each thread holds a compiler of TypeScript.
      NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../../node_modules/.cache/compile'),
    },
  });
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on('message', ({ id, result, error }: Answer) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) promise?.resolve(result);
    else promise?.reject(new Error(error));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The engine has ended: ${signal ?? code}.`));
  });
  const call = (method: string, ...args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      child.send({ id: last, method, args });
    });
  const methods = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, ...args)]));
  return {
    ...(methods as EngineClient),
    async close() {
      const ended = once(child, 'exit');
      await call('close');
      await ended;
    },
  };
}

const names = ['open', 'use', 'ask', 'relevances', 'rate', 'steady', 'memory'] satisfies (keyof Methods)[];
