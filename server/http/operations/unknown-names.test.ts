import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';
import { allOperations, createFileForm, sendOperation } from '../../testing/send-operation.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';
import { type OperationId, unknownId, validRequests } from '../../testing/valid-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let as: { key: string; cookie: string };

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  as = { key: service.key, cookie: (await service.signIn()).cookie() };
});

afterAll(() => service[Symbol.asyncDispose]());

type Details = { path: string; message: string }[] | undefined;

async function refusedFor(id: OperationId, asked: Parameters<typeof sendOperation>[2]): Promise<Details> {
  const { status, body } = await sendOperation(service.url, id, { ...validRequests[id], ...asked }, as);
  expect(status, id).toBe(400);
  return (body?.error as { details?: Details } | undefined)?.details;
}

test('every operation refuses a parameter and a field that it does not have', async () => {
  for (const [id, operation] of Object.entries(allOperations) as [OperationId, (typeof allOperations)[string]][]) {
    // A document that anybody may keep: a parameter against caches does no harm.
    if (operation.access === 'anyone') continue;
    const { query = '', json } = validRequests[id] ?? {};
    const asked = { query: `${query}${query === '' ? '?' : '&'}colour=red` };
    expect(await refusedFor(id, asked), id).toMatchObject([
      { path: 'query.colour', message: expect.stringMatching(/^is unknown/) as string },
    ]);
    if (operation.method === 'GET' || operation.bytes || (operation.form && !operation.body)) continue;
    const details = await refusedFor(id, { json: { ...(json as object), colour: 'red' } });
    expect(details, id).toMatchObject([
      { path: 'body.colour', message: expect.stringMatching(/^is unknown/) as string },
    ]);
  }
});

test.each([
  ['/media?tag=photos', 'query.tag', 'is unknown (did you mean `tag_id`?)'],
  ['/media?creators=x', 'query.creators', 'is unknown (did you mean `creator_id`?)'],
  ['/media?perPage=2', 'query.perPage', 'is unknown (did you mean `per_page`?)'],
  ['/tags?colour=2', 'query.colour', 'is unknown; there are `page`, `per_page`, `q`'],
  ['/media?limit=2', 'query.limit', 'is unknown (did you mean `per_page`?)'],
  ['/media/search?q=red&limit=2', 'query.limit', 'is unknown (did you mean `n`?)'],
  ['/media?constructor=2', 'query.constructor', expect.stringMatching(/^is unknown; there are/)],
  ['/workspace?q=x', 'query.q', 'is unknown; this takes no parameters'],
  ['/media?page=1&page=2', 'query.page', 'was given more than once'],
])('GET %s: %s %s', async (address, where, message) => {
  const { status, error } = await service.client.get(address);
  expect([status, error.code, error.details]).toEqual([400, 'validation_error', [{ path: where, message }]]);
});

test('a field of a nested object is named with its place, and nothing is changed', async () => {
  const moments = [{ media_id: unknownId }, { media_id: unknownId, stop: 3 }];
  const refused = await service.client.post('/exports', { format: 'csv', moments });
  expect(refused.error.details).toEqual([
    { path: 'body.moments.1.stop', message: 'is unknown; there are `media_id`, `start`, `end`, `name`, `score`' },
  ]);
  const { data } = await service.client.post<{ id: string }>('/tags', { name: 'red' });
  expect(await service.client.patch(`/tags/${data.id}`, { name: 'blue', nme: 'green' })).toMatchObject({ status: 400 });
  expect((await service.client.get<{ name: string }>(`/tags/${data.id}`)).data.name).toBe('red');
});

test('an unknown field of a form is refused, and its file is not stored', async () => {
  const file = path.join(service.folder, 'photo.png');
  await makePhoto(file, plain(200, 30, 30));
  const form = await createFileForm(file, { creator: 'Ana' });
  expect(await refusedFor('uploadMedia', { form })).toEqual([
    { path: 'body.creator', message: 'is unknown (did you mean `creator_id`?)' },
  ]);
  expect((await service.client.get('/media')).data).toEqual([]);
});

test.each([
  [{ creator_id: [unknownId, unknownId] }, 'body.creator_id', 'was given more than once'],
  // What is longer than the form may hold, in bytes, is not cut off.
  [
    { tags: ['語'.repeat(100), '東'.repeat(100), '京'.repeat(100), '都'.repeat(100)].join(',') },
    'body.tags',
    'is too long',
  ],
  [Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, 'x'])), 'body', 'has too many fields'],
])('a field of a form is not lost without a word: %j', async (fields, where, message) => {
  const file = path.join(service.folder, 'photo.png');
  await makePhoto(file, plain(200, 30, 30));
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  form.append('file', await openAsBlob(file), 'photo.png');
  expect(await refusedFor('uploadMedia', { form })).toEqual([{ path: where, message }]);
});

test.each([
  ['text', 'Content-Disposition: form-data'],
  ['a file', 'Content-Disposition: form-data; filename="a.png"'],
  ['text with an empty name', 'Content-Disposition: form-data; name=""'],
])('a form with %s that has no name is told so', async (_, disposition) => {
  const response = await fetch(`${service.url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'multipart/form-data; boundary=b' },
    body: `--b\r\n${disposition}\r\n\r\nx\r\n--b--\r\n`,
  });
  expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
    status: 400,
    error: { code: 'malformed_body', message: expect.stringContaining('has no name') as string },
  });
});

test('a form whose header names no boundary is told so', async () => {
  const init = { method: 'POST', body: '--x--', headers: { 'Content-Type': 'multipart/form-data' } };
  for (const address of ['/media/upload', '/media/search/image']) {
    const answer = await fetch(`${service.url}/api/v1${address}`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${service.key}` },
    });
    expect(await answer.json()).toMatchObject({
      error: { code: 'malformed_body', message: expect.stringContaining('`boundary`') as string },
    });
  }
});

test('a key of resumable uploads that is nearly a label is refused; those that clients add of themselves are not', async () => {
  const tus = createTusRequests(service);
  const refused = await tus.post(9, { filename: 'a.jpg', creator: 'Ana' });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      error: {
        details: [{ path: 'header.Upload-Metadata.creator', message: 'is unknown (did you mean `creator_id`?)' }],
      },
    },
  ]);
  const others = { filename: 'a.jpg', name: 'a.jpg', filetype: 'image/jpeg', type: 'image/jpeg', relativePath: 'null' };
  expect((await tus.post(9, others)).status).toBe(201);
});

test('of a long name only the beginning is repeated', async () => {
  const { error } = await service.client.get(`/media?${'x'.repeat(9000)}=1`);
  expect(error.details?.map(({ path: where }) => where)).toEqual([`query.${'x'.repeat(64)}`]);
});

test('of hundreds of unknown fields the first are named', async () => {
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`field${i}`, i]));
  const { error } = await service.client.post('/tags', { name: 'green', ...many });
  expect(error.details).toHaveLength(20);
});

test('names of the user are no fields: a saved search keeps the parameters of its page', async () => {
  const saved = { name: 'Mine', page: 'library', parameters: { colour: 'red', tag: 'x' } };
  expect(await service.client.post('/saved-searches', saved)).toMatchObject({ status: 201, data: saved });
});
