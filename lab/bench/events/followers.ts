import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Clients that wait until items are indexed, in a process of their own: by the stream of events, or by asking each second. */

export type Following = { way: 'stream' | 'polling'; url: string; keys: string[]; count: number };
/** `times`: for each item when each client knew, milliseconds since 1970. */
export type Followed = { times: Record<string, number[]>; bytes: number; refused: number };

/** Most identifiers of one request. */
const maxIds = 100;

class Followers {
  readonly #following: Following;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  readonly #ids: string[] = [];
  readonly #times: Followed['times'] = {};
  #refused = 0;

  constructor(following: Following) {
    this.#following = following;
  }

  add(id: string): void {
    this.#ids.push(id);
  }

  /** Resolves when all are connected. */
  async start(): Promise<void> {
    const { way, keys, count } = this.#following;
    const clients = Array.from({ length: count }, (_, i) => keys[i % keys.length] as string);
    if (way === 'stream') {
      for (let i = 0; i < count; i += 20) await Promise.all(clients.slice(i, i + 20).map((key) => this.#stream(key)));
      return;
    }
    // Not all in the same moment.
    for (const [i, key] of clients.entries()) setTimeout(() => void this.#poll(key), (1000 * i) / count);
    await delay(1000);
  }

  read(): Followed {
    const bytes = [...this.#sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);
    return { times: this.#times, bytes, refused: this.#refused };
  }

  /** Resolves when the answer has ended, but that of a stream when it begins. */
  #ask(path: string, key: string, onText: (text: string) => void): Promise<void> {
    const { way, url } = this.#following;
    const options = { agent: this.#agent, headers: { Authorization: `Bearer ${key}` } };
    return new Promise((resolve, reject) => {
      const request = get(`${url}/api/v1/${path}`, options, (response) => {
        if (response.statusCode !== 200) this.#refused += 1;
        if (way === 'stream') resolve();
        response.setEncoding('utf8').on('data', onText).once('end', resolve).once('error', reject);
      });
      request.once('socket', (socket) => this.#sockets.add(socket)).once('error', reject);
    });
  }

  #note(id: string): void {
    (this.#times[id] ??= []).push(Date.now());
  }

  async #stream(key: string): Promise<void> {
    let rest = '';
    await this.#ask('events?types=media.completed', key, (text) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks.filter((each) => each.includes('event: media.completed'))) {
        const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
        this.#note((JSON.parse(data) as { data: { media: { id: string } } }).data.media.id);
      }
    });
  }

  async #poll(key: string): Promise<void> {
    const known = new Set<string>();
    for (;;) {
      const began = performance.now();
      const open = this.#ids.filter((id) => !known.has(id)).slice(0, maxIds);
      let body = '';
      if (open.length > 0) await this.#ask(`media?limit=100&ids=${open.join(',')}`, key, (text) => (body += text));
      const { data = [] } = JSON.parse(body || '{}') as { data?: { id: string; status: string }[] };
      for (const { id, status } of data) {
        if (status !== 'complete') continue;
        known.add(id);
        this.#note(id);
      }
      await delay(Math.max(0, 1000 - (performance.now() - began)));
    }
  }
}

if (process.send && process.argv[2] === 'followers') {
  const followers = new Followers(JSON.parse(process.argv[3] ?? '') as Following);
  process.on('message', (message: string) => {
    if (message === 'stop') process.send?.(followers.read(), () => process.exit());
    else followers.add(message);
  });
  await followers.start();
  process.send('ready');
}

/** Begins clients; they are connected when this resolves. Items are told to them with `add`. */
export async function startFollowers(
  following: Following,
): Promise<{ add: (id: string) => void; stop: () => Promise<Followed> }> {
  const child = fork(import.meta.filename, ['followers', JSON.stringify(following)]);
  await once(child, 'message');
  return {
    add: (id) => void child.send(id),
    async stop() {
      child.send('stop');
      const [followed] = (await once(child, 'message')) as [Followed];
      return followed;
    },
  };
}
