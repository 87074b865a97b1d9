import { readFileSync } from 'node:fs';
import type { FloodKind, FloodOptions } from './flood-kinds.ts';

/** A process that floods a service until it gets a message, then replies with the count of each status. Its argument is `FloodOptions` as JSON. */

const { url, key, kind, concurrency: atOnce, mediaId, photo } = JSON.parse(process.argv[2] ?? '') as FloodOptions;
const authorization = { Authorization: `Bearer ${key}` };
// As large as a JSON image search may be, and not an image.
const large = kind === 'large JSON image searches' ? JSON.stringify({ image: 'A'.repeat(40 * 2 ** 20) }) : '';
const longText = Array.from({ length: 90 }, (_, i) => `word${i}`)
  .join('+')
  .slice(0, 490);
const bytes = readFileSync(photo);

const get = (path: string) => fetch(`${url}/api/v1${path}`, { headers: authorization });
const post = (path: string, body: string) =>
  fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    body,
    headers: { ...authorization, 'Content-Type': 'application/json' },
  });

const requests: Record<FloodKind, (place: number) => Promise<Response>> = {
  'large JSON image searches': () => post('/media/search/image', large),
  'image searches by a moment': (place) =>
    post('/media/search/image', JSON.stringify({ media_id: mediaId, at: place % 5 })),
  uploads: () => {
    const form = new FormData();
    form.set('file', new Blob([bytes, crypto.randomUUID()]), 'a.png');
    return fetch(`${url}/api/v1/media/upload`, { method: 'POST', body: form, headers: authorization });
  },
  'long text searches': () => get(`/media/search?q=${longText}&n=100`),
  'searches with rerank': () => get('/media/search?q=grey+checkers&rerank=1&n=100'),
  'highlights and map': (place) =>
    get(place % 2 === 0 ? '/media/highlights?method=lof&n=100' : '/media/highlights/map?layout=umap'),
};

const statuses: Record<string, number> = {};
let begun = false;
const stopping = new AbortController();
process.once('message', () => stopping.abort());
// The campaign has ended.
process.once('disconnect', () => process.exit());
await Promise.all(
  Array.from({ length: atOnce }, async (_, place) => {
    while (!stopping.signal.aborted) {
      // The service may refuse a body by closing the connection while it is sent.
      const status = await requests[kind](place)
        .then(async (response) => {
          await response.arrayBuffer();
          return String(response.status);
        })
        .catch(() => 'closed');
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (!begun) process.send?.('begun');
      begun = true;
    }
  }),
);
process.send?.(statuses);
