import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLibrary } from '../testing/library.ts';

let library: Awaited<ReturnType<typeof startLibrary>>;
beforeAll(async () => {
  library = await startLibrary();
});
afterAll(() => library[Symbol.asyncDispose]());

test('update changes names and labels of items, and says what can be changed', async () => {
  const { data: creator } = (await library.client.post('/creators', { name: 'Mia Sol' })) as { data: { id: string } };
  const changed = await library.run(['update', library.photo, '--name', 'noon.jpg', '--creator', 'mia sol']);
  expect(changed).toMatchObject({ code: 0, out: `${library.photo}\n`, err: '' });
  const read = async () => (await library.client.get(`/media/${library.photo}`)).data;
  expect(await read()).toMatchObject({ filename: 'noon.jpg', creator_id: creator.id });
  const cleared = await library.run([
    'update',
    library.photo,
    '--name',
    'photo.jpg',
    '--creator',
    'none',
    '--rating',
    '4',
    '--json',
  ]);
  expect(JSON.parse(cleared.out)).toEqual([{ id: library.photo, result: 'changed', error: null }]);
  expect(await read()).toMatchObject({ filename: 'photo.jpg', creator_id: null, rating: 4 });
  expect(await library.run(['update', library.photo])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Say what to change: --creator, --category/) as string,
  });
  const unknown = await library.run(['update', library.photo, '--creator', 'Nobody']);
  expect(unknown.err).toContain('There is no creator named “Nobody”.');
});

test('ratings limit lists and searches, and order lists', async () => {
  await library.run(['update', library.photo, '--rating', '4']);
  const files = async (...words: string[]) =>
    JSON.parse((await library.run([...words, '--json'])).out) as { id: string }[];
  const ids = async (...words: string[]) => (await files(...words)).map(({ id }) => id);
  expect(await ids('list', '--rating-min', '3')).toEqual([library.photo]);
  expect(await ids('list', '--rating-max', '0')).toEqual([library.video]);
  expect(await ids('list', '--sort', '-rating')).toEqual([library.photo, library.video]);
  expect(new Set(await ids('search', 'dark blue', '--rating-max', '3'))).toEqual(new Set([library.video]));
  expect((await library.run(['get', library.photo])).out).toContain('rating\t4\n');
  expect(await library.run(['update', library.photo, '--rating', '6'])).toMatchObject({ code: 1 });
});
