import { expect, test } from 'vitest';
import { file, files, listing, openSource, problem } from '../testing/source-to-scan.ts';

for (const backend of ['sqlite', 'pglite'] as const) {
  test(`no file stops a scan of the others: ${backend}`, async () => {
    await using t = await openSource(backend);
    const long = `${Array.from({ length: 40 }, () => 'é'.repeat(40)).join('/')}.jpg`;
    const odd = [
      file('a/late.jpg', { modifiedMs: 99_999_999_999_999_000 }),
      file('a/later.jpg', { modifiedMs: Date.UTC(12_000, 0) }),
      file('a/no-time.jpg', { modifiedMs: -1e16 }),
      file('a/old.jpg', { modifiedMs: -1e12 }),
      file('a/huge.mp4', { size: 2 ** 62 }),
      file(long),
    ];
    const problems = [problem(`${long}/`, 'eacces')];
    for (const _ of [1, 2])
      expect(await t.scan([listing('a', [...odd, ...files(3)], { problems })])).toMatchObject({ found: 7, failed: 3 });
    expect(await t.items()).toEqual([7, 0]);
    const { problem_code, path } = (await t.known()).find(({ path: each }) => each.startsWith('é')) ?? {};
    expect(problem_code).toMatch(/path_too_long|eacces/);
    expect(Buffer.byteLength(path ?? '')).toBeLessThanOrEqual(2000);
    const times = await t.db.selectFrom('media_items').select(['filename', 'taken_at', 'taken_source']).execute();
    const timeOf = (name: string) => times.find(({ filename }) => filename === name)?.taken_at;
    expect(['late.jpg', 'later.jpg', 'no-time.jpg', 'old.jpg'].map(timeOf)).toEqual([
      null,
      null,
      null,
      '1938-04-24T22:13:20.000Z',
    ]);
  });
}

test('thousands of folders that may not be read keep what is known below them', async () => {
  await using t = await openSource();
  const folders = Array.from({ length: 1500 }, (_, i) => `p${i}`);
  const known = [...files(2), file('p1499/x.jpg'), file('p1499-x/y.jpg')];
  await t.scan([listing('', known)]);
  const denied = folders.map((folder) => listing(folder, [], { problems: [problem(`${folder}/`, 'eacces')] }));
  for (const _ of [1, 2]) await t.scan([listing('a', files(2)), ...denied]);
  const trashed = await t.db
    .selectFrom('media_items')
    .select('source_path')
    .where('trashed_at', 'is not', null)
    .execute();
  expect(trashed).toEqual([{ source_path: 'p1499-x/y.jpg' }]);
});
