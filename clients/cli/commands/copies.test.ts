import { beforeEach, expect, test } from 'vitest';
import type { DuplicateGroup } from '../../../contract/copies.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { addCopies } from '../../../server/testing/add-copies.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { runCommand } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  return async () => {
    await service[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
});

const run = (...words: string[]) =>
  runCommand(words, {
    home: folder.path,
    env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key },
  });
const cells = (out: string) => out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]));

test('duplicates are listed by group, the best first, and what is not shown is said', async () => {
  expect(await run('duplicates')).toEqual({ code: 0, out: '', err: 'There are no duplicates.\n' });
  const [large, small] = await addCopies(service, 2);
  const [newer] = await addCopies(service, 3);
  const all = await run('duplicates');
  expect([all.code, all.err]).toEqual([0, '']);
  expect(cells(all.out).map(([group, best, file]) => [group, best, file])).toEqual([
    ['1', 'best', '0.png'],
    ['1', '', '1.png'],
    ['1', '', '2.png'],
    ['2', 'best', '0.png'],
    ['2', '', '1.png'],
  ]);
  expect(
    cells(all.out)
      .slice(3)
      .map((row) => row.at(-1)),
  ).toEqual([large, small]);
  const first = await run('duplicates', '-n', '1');
  expect(cells(first.out)).toHaveLength(3);
  expect(first.err).toBe('Shown: the first 1 of 2 groups. -n NUMBER shows more.\n');
  const json = JSON.parse((await run('duplicates', '-n', '1', '--json')).out) as DuplicateGroup[];
  expect(json.map((group) => group.best_id)).toEqual([newer]);
});

test('where an item is used is listed by span, and an item that is not there is refused', async () => {
  const [large = '', small = ''] = await addCopies(service, 2);
  const used = await run('where-used', large);
  expect(cells(used.out).map(([relation, file]) => [relation, file])).toEqual([['same', '1.png']]);
  expect(used.out).toContain(small);
  const [alone = ''] = await addCopies(service, 1);
  expect(await run('where-used', alone)).toEqual({ code: 0, out: '', err: 'It is used nowhere else.\n' });
  expect((await run('where-used', '01a1fbe4-6806-793e-a30f-22b8a44e4f85')).code).not.toBe(0);
});
