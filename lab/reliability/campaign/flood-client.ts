import { readFileSync } from 'node:fs';
import type { FloodKind, FloodOptions } from './flood-kinds.ts';

/** A process that floods a service until it gets a message, then replies with the count of each status. Its argument is `FloodOptions` as JSON. */

const {
  url,
  key,
  kind,
  concurrency: atOnce,
  mediaId,
  photo,
  largeId,
} = JSON.parse(process.argv[2] ?? '') as FloodOptions;
const authorization = { Authorization: `Bearer ${key}` };
// As large as a JSON image search may be, and not an image.
const large = kind === 'large JSON image searches' ? JSON.stringify({ image: 'A'.repeat(2 ** 20 - 100) }) : '';
const longText = Array.from({ length: 90 }, (_, i) => `word${i}`)
  .join('+')
  .slice(0, 490);
const bytes = readFileSync(photo);
const brackets = '['.repeat(500_000);
const moments = Array.from({ length: 5000 }, (_, i) => ({
  media_id: mediaId,
  start: (i % 500) / 100,
  end: 5.5,
  name: `Moment ${i}`,
  score: 0.5,
}));
const list = JSON.stringify({ format: 'csv', moments });
const archive = JSON.stringify({ format: 'zip', moments: Array.from({ length: 200 }, () => ({ media_id: largeId })) });
/** The upload that each place sends to, and how many bytes it has. */
const uploads: { path: string; sent: number }[] = [];

async function sendByte(place: number): Promise<Response> {
  const tus = { ...authorization, 'Tus-Resumable': '1.0.0' };
  let upload = uploads[place];
  if (!upload) {
    const metadata = `filename ${Buffer.from('a.png').toString('base64')}`;
    const headers = { ...tus, 'Upload-Length': '1000000', 'Upload-Metadata': metadata };
    const begun = await fetch(`${url}/api/v1/uploads`, { method: 'POST', headers });
    if (begun.status !== 201) return begun;
    upload = { path: begun.headers.get('Location') ?? '', sent: 0 };
    uploads[place] = upload;
  }
  const answer = await fetch(new URL(upload.path, url), {
    method: 'PATCH',
    headers: { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(upload.sent) },
    body: 'x',
  });
  if (answer.status === 204) upload.sent += 1;
  return answer;
}

async function downloadArchive(): Promise<Response> {
  const begun = await post('/exports', archive);
  if (begun.status !== 201) return begun;
  const { data } = (await begun.json()) as { data: { url: string } };
  return fetch(data.url);
}

const get = (path: string) => fetch(`${url}/api/v1${path}`, { headers: authorization });
const postJson = (path: string, body: string) =>
  fetch(url + path, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
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
  'brackets without a key': () => postJson('/auth/sign-in', brackets),
  'wrong passwords': (place) =>
    postJson('/auth/sign-in', JSON.stringify({ email: `${place}@example.org`, password: 'wrong and long enough' })),
  archives: downloadArchive,
  'lists of 5,000 moments': () => post('/exports', list),
  'parts of one byte': sendByte,
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
          // An archive is larger than what memory should hold.
          if (!response.bodyUsed) for await (const _ of response.body ?? []) if (stopping.signal.aborted) break;
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
