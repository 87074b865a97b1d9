import { fork } from 'node:child_process';
import { Agent, get } from 'node:http';
import { queryAt } from './seeded-service.ts';

/**
 * Clients that search over HTTP without a pause, in a process of their own, so that they and what is measured beside them do not wait for one
 * another in one event loop. They say how many answers they got when they are told to stop.
 */

if (process.send && process.argv[2] === 'clients') {
  const [, , , url = '', key = '', count = '16'] = process.argv;
  let [asked, answered] = [0, 0];
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const search = () =>
    new Promise<void>((resolve, reject) => {
      const path = `${url}/api/v1/media/search?q=${encodeURIComponent(queryAt(asked++))}`;
      get(path, { agent, headers: { Authorization: `Bearer ${key}` } }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) answered += 1;
          resolve();
        });
      }).once('error', reject);
    });
  process.once('message', () => stopping.abort());
  const began = performance.now();
  const clients = Array.from({ length: Number(count) }, async () => {
    while (!stopping.signal.aborted) await search();
  });
  await Promise.all(clients);
  process.send?.({ answered, seconds: (performance.now() - began) / 1000 });
  process.disconnect?.();
}

/** Lets some clients search until the function that is returned is called, which gives the number of answers, and the seconds that it took. */
export async function startSearching(
  url: string,
  key: string,
  count: number,
): Promise<() => Promise<{ answered: number; seconds: number }>> {
  const child = fork(import.meta.filename, ['clients', url, key, String(count)]);
  // Until they have all begun.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return () =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send('stop');
    });
}
