import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { batchListings } from './batch-listings.ts';
import { describeRoot } from './describe-root.ts';
import { walkFolder } from './walk-folder.ts';

async function setUp(files: Record<string, string>) {
  const folder = await temporaryFolder();
  const root = folder.file('above/root');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  const options = { root, dataDirectory: folder.file('data'), include: [], exclude: ['out'] };
  return {
    folder,
    root,
    options,
    async list(from?: string[]): Promise<string[]> {
      const found: string[] = [];
      for await (const { files: each } of walkFolder(options, from)) found.push(...each.map((file) => file.path));
      return found.toSorted();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a part is listed by the rules of the folders above it, as all is', async () => {
  await using t = await setUp({
    '.ignore': 'proxies\n/a/b/skip.jpg\n',
    'a/b/c.jpg': 'x',
    'a/b/skip.jpg': 'x',
    'a/proxies/p.jpg': 'x',
    'none/.nomedia': '',
    'none/deep/n.jpg': 'x',
    'out/deep/o.jpg': 'x',
    '.hidden/deep/h.jpg': 'x',
  });
  const parts = ['a/b', 'a/proxies', 'none/deep', 'out/deep', '.hidden/deep'];
  expect([await t.list(), await t.list(parts)]).toEqual([['a/b/c.jpg'], ['a/b/c.jpg']]);
});

test('a root to which a link leads now is not read', async () => {
  await using t = await setUp({ 'a.jpg': 'x' });
  expect(await t.list()).toEqual(['a.jpg']);
  await rename(t.folder.file('above'), t.folder.file('other'));
  await symlink(t.folder.file('other'), t.folder.file('above'));
  await expect(t.list()).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(describeRoot(t.root)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('a folder is told of before it is read, so that no change between is missed', async () => {
  await using t = await setUp({ 'a.jpg': 'x', 'b/c.jpg': 'x' });
  const found: string[] = [];
  const onFolder = async (folder: string) => {
    await writeFile(path.join(t.root, folder, 'late.jpg'), 'x');
  };
  let answers = 0;
  for await (const { files } of walkFolder(t.options, [''], { onAnswer: () => (answers += 1), onFolder }))
    found.push(...files.map((file) => file.path));
  expect(found.toSorted()).toEqual(['a.jpg', 'b/c.jpg', 'b/late.jpg', 'late.jpg']);
  // At least one for each entry that is read, and for each file.
  expect(answers).toBeGreaterThanOrEqual(9);
});

test('what was listed goes on after two seconds, however little it is', async () => {
  async function* slow() {
    for (let i = 0; i < 4; i++) {
      await delay(1100);
      yield { folder: String(i), files: [], problems: [], isMount: false };
    }
  }
  const sizes: number[] = [];
  for await (const listings of batchListings(slow())) sizes.push(listings.length);
  expect(sizes).toEqual([2, 2]);
});
