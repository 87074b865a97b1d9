import { expect, test } from 'vitest';
import { z } from 'zod';
import { validate } from '../http/operations/serve-operation.ts';
import { claim, indexed, openTestCatalog, reload } from '../testing/test-catalog.ts';
import { completeIndexing } from './queue/indexing-jobs.ts';

test('U+0000 of files is not stored', async () => {
  await using t = await openTestCatalog();
  const media = await t.add();
  const film = indexed(['Good\0 morning\0']);
  film.tags = '\0Holi\0day';
  film.recording.camera = 'Came\0ra';
  await completeIndexing(t.db, await claim(t.db, 'a'), film);
  expect(await reload(t.db, media)).toMatchObject({ tags: 'Holiday', camera: 'Camera' });
  expect(await t.db.selectFrom('text_segments').select('text').execute()).toEqual([{ text: 'Good morning' }]);
});

test('U+0000 of requests is removed before they are checked', () => {
  const schema = z.object({ name: z.string().min(1).max(2), labels: z.array(z.string()), count: z.int() });
  expect(validate(schema, { name: 'a\0b', labels: ['\0c'], count: 1 }, 'body')).toEqual({
    name: 'ab',
    labels: ['c'],
    count: 1,
  });
  expect(() => validate(schema, { name: '\0', labels: [], count: 1 }, 'body')).toThrow(/not valid|validation|name/i);
});
