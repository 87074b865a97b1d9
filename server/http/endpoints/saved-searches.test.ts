import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedSearch } from '../../../contract/saved-searches.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});

afterAll(() => service[Symbol.asyncDispose]());

const ferries = {
  name: ' Ferries ',
  page: 'search',
  parameters: { q: 'ferry “at night”', type: 'video', dedupe: '0' },
};

test('searches are saved, listed, renamed and deleted', async () => {
  const { client } = service;
  const saved = await client.post<SavedSearch>('/saved-searches', ferries);
  expect(saved).toMatchObject({ status: 201, data: { ...ferries, name: 'Ferries' } });
  const library = { name: 'Long films', page: 'library', parameters: { sort: '-duration' } };
  const other = (await client.post<SavedSearch>('/saved-searches', library)).data;
  const names = async (query = '') =>
    (await client.get<SavedSearch[]>(`/saved-searches${query}`)).data.map(({ name }) => name);
  expect(await names()).toEqual(['Long films', 'Ferries']);
  expect(await names('?per_page=1&page=2')).toEqual(['Ferries']);
  expect(await names('?q=FERR')).toEqual(['Ferries']);

  // Names are the same whatever their case; its own in another is no conflict.
  expect(await client.post('/saved-searches', { ...ferries, name: 'FERRIES' })).toMatchObject({ status: 409 });
  expect(await client.patch(`/saved-searches/${other.id}`, { name: 'ferries' })).toMatchObject({ status: 409 });
  expect((await client.patch<SavedSearch>(`/saved-searches/${saved.data.id}`, { name: 'FERRIES' })).data).toEqual({
    ...saved.data,
    name: 'FERRIES',
  });
  expect((await client.delete(`/saved-searches/${other.id}`)).status).toBe(200);
  expect((await client.delete(`/saved-searches/${other.id}`)).status).toBe(404);
  expect(await names()).toEqual(['FERRIES']);

  expect((await client.get<SavedSearch>(`/saved-searches/${saved.data.id}`)).data.parameters).toEqual(
    ferries.parameters,
  );

  // Nothing of it is seen or changed from another workspace.
  const { client: stranger } = await service.addWorkspace('Elsewhere');
  expect((await stranger.get('/saved-searches')).data).toEqual([]);
  expect((await stranger.get(`/saved-searches/${saved.data.id}`)).status).toBe(404);
  expect((await stranger.patch(`/saved-searches/${saved.data.id}`, { name: 'Mine' })).status).toBe(404);
  expect((await stranger.delete(`/saved-searches/${saved.data.id}`)).status).toBe(404);
  expect((await stranger.post('/saved-searches', ferries)).status).toBe(201);
});

test.each([
  { ...ferries, name: ' ' },
  { ...ferries, page: 'settings' },
  { ...ferries, parameters: { 'not a name': 'x' } },
  { ...ferries, parameters: { q: '' } },
  { ...ferries, parameters: { q: 'x'.repeat(1001) } },
  { ...ferries, parameters: Object.fromEntries(Array.from({ length: 31 }, (_, i) => ['a'.repeat(i + 1), 'x'])) },
  { name: 'Without parameters', page: 'search' },
])('a saved search needs a name, a page and parameters that a URL can have: %j', async (body) => {
  expect(await service.client.post('/saved-searches', body)).toMatchObject({
    status: 400,
    error: { code: 'validation_error' },
  });
});
