import { expect, test } from 'vitest';
import { setSource } from '../catalog/sources/sources.ts';
import { file, files, listing, openSource, problem } from '../testing/source-to-scan.ts';

test('a mount below the root that is away is missed in no scan until somebody says so', async () => {
  await using t = await openSource();
  const top = listing('a', files(50));
  const list = [top, listing('m', [])];
  await t.scan([top, listing('m', files(15, 'm'), { isMount: true })]);
  for (const _ of [1, 2, 3, 4]) expect(await t.scan(list)).toMatchObject({ gone: 0 });
  expect(await t.scan([listing('m', [])], ['m'])).toMatchObject({ gone: 0 });
  expect(await t.items()).toEqual([65, 0]);
  // What is below it was not away by itself.
  expect(await t.scan([listing('m/x', [])], ['m/x'])).toMatchObject({ gone: 0 });
  expect(await t.scan(list, null, true)).toMatchObject({ gone: 15 });
  expect(await t.items()).toEqual([65, 15]);
  expect(JSON.parse((await t.row()).root ?? '')).toMatchObject({ mounts: [] });
});

test('items whose files have problems stay, however many there are, and the problems of others are bounded', async () => {
  await using t = await openSource();
  const all = files(1500);
  await t.scan([listing('a', all)]);
  const problems = all.slice(0, 700).map(({ path }) => problem(path));
  for (const _ of [1, 2, 3])
    expect(await t.scan([listing('a', all.slice(700), { problems })])).toMatchObject({ gone: 0, failed: 700 });
  expect(await t.items()).toEqual([1500, 0]);
  const others = Array.from({ length: 700 }, (_, i) => problem(`b/${i}.jpg`, 'empty_file'));
  await t.scan([listing('a', all, { problems: others })]);
  expect((await t.known()).filter(({ media_id: id }) => id === null)).toHaveLength(500);
});

test('another disk in the place of the source changes nothing until somebody says so', async () => {
  for (const [isSameInode, device] of [
    [false, '1'],
    [true, '9'],
  ]) {
    await using t = await openSource();
    const one = files(60);
    const two = one.map((each) => ({ ...each, size: 2000, identity: isSameInode ? each.identity : `o${each.path}` }));
    await t.scan([listing('a', one)]);
    t.disk.root = { device: String(device), inode: '2' };
    const list = [listing('a', [...two, file('a/new.jpg')])];
    for (const _ of [1, 2]) expect(await t.scan(list)).toBe('other_disk');
    expect(await t.scan(list, ['a'])).toMatchObject({ changed: 0, gone: 60 });
    expect((await t.known()).filter(({ size }) => size === 2000)).toEqual([]);
    expect(await t.items()).toEqual([61, 0]);
    expect(await t.scan(list, null, true)).toMatchObject({ changed: 60, gone: 0 });
  }
});

test('files that are all renamed in a ring are no other disk', async () => {
  await using t = await openSource();
  const all = files(60).map((each, i) => ({ ...each, modifiedMs: each.modifiedMs + i }));
  await t.scan([listing('a', all)]);
  const next = all.map((each, i) => ({ ...each, path: all[(i + 1) % 60]?.path ?? '' }));
  expect(await t.scan([listing('a', next)])).toMatchObject({ moved: 60, changed: 0, gone: 0 });
});

test.each(['sqlite', 'pglite'] as const)(
  'less than half that is missing twice goes to the trash: %s',
  async (backend) => {
    await using t = await openSource(backend);
    const all = files(100);
    await t.scan([listing('a', all)]);
    const rest = [listing('a', all.slice(40))];
    expect(await t.scan(rest)).toMatchObject({ gone: 40 });
    expect(await t.items()).toEqual([100, 0]);
    await t.scan(rest);
    expect(await t.items()).toEqual([100, 40]);
    expect(await t.scan([listing('a', all.slice(75))])).toBe('mostly_missing');
  },
);

test('what is accepted as missing goes at once', async () => {
  await using t = await openSource();
  const all = files(30);
  await t.scan([listing('a', all)]);
  expect(await t.scan([listing('a', all.slice(25))])).toBe('mostly_missing');
  await t.scan([listing('a', all.slice(25))], null, true);
  expect(await t.items()).toEqual([30, 25]);
});

test('what other globs leave out goes at once and without a doubt, and comes back', async () => {
  await using t = await openSource();
  const all = files(100);
  await t.scan([listing('a', all)]);
  await setSource(t.db, await t.row(), { include: '["**/9*"]' });
  await t.scan([listing('a', all.slice(90))]);
  expect(await t.items()).toEqual([100, 90]);
  expect(await t.scan([listing('a', [])])).toBe('empty');
  await setSource(t.db, await t.row(), { include: '[]' });
  await t.scan([listing('a', all)]);
  expect(await t.items()).toEqual([100, 0]);
});

test('a part of a source is looked at without reading all of it where nothing changed', async () => {
  await using t = await openSource();
  const all = [...files(30), ...files(30, 'a0'), ...files(30, 'b')];
  await t.scan([listing('', all)]);
  await setSource(t.db, await t.row(), { file_count: 7 });
  const lost = [listing('a', all.slice(3, 30)), listing('b', all.slice(65, 90))];
  expect(await t.scan(lost, ['a', 'b', 'none'])).toMatchObject({ gone: 8 });
  expect((await t.row()).file_count).toBe(7);
  await t.scan([listing('a', [...all.slice(3, 30), file('a/new.jpg')])], ['a']);
  expect((await t.row()).file_count).toBe(91);
});
