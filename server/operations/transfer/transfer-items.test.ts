import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { type AssetOwner, uploaded, rendition } from '../../assets/asset-store.ts';
import { diskLayout } from '../../assets/disk-layout.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { sha256Of } from './backup-folder.ts';
import { transferItems } from './transfer-items.ts';

const progress = { addTotal: () => undefined, advance: () => undefined };

/** A store with three items of a catalog, each with an original and two renditions, and an empty store. */
async function setUp() {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const t = stack.use(await openTestCatalog());
  const source = createFileAssetStore(folder.file('one'));
  const target = createFileAssetStore(folder.file('two'));
  for (const name of ['one', 'two']) await mkdir(folder.file(name));
  for (const store of [source, target]) await store.prepare();
  const scratch = createScratch(folder.path);
  const items: MediaRow[] = [];
  for (let i = 0; i < 3; i++) {
    const bytes = Buffer.from(`original ${i}`);
    const { workspace_id, id } = await t.add(`film ${i}.mp4`);
    const change = { size: bytes.length, sha256: sha256Of(bytes), renditions_token: i + 7 };
    await t.db.updateTable('media_items').set(change).where('id', '=', id).execute();
    await scratch.withFolder(async (made) => {
      await writeFile(path.join(made, 'x'), bytes);
      await source.putOriginal(path.join(made, 'x'), { workspace_id, id, filename: 'x', sha256: change.sha256 });
    });
    await scratch.withFolder(async (made) => {
      for (const name of ['a.webp', 'b.webp']) await writeFile(path.join(made, name), `${name} of ${i}`);
      await source.putRenditions({ workspace_id, id }, i + 7, made);
    });
    items.push({
      ...(await t.db.selectFrom('media_items').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    });
  }
  const [first, second, third] = items as [MediaRow, MediaRow, MediaRow];
  const fileOf = (name: string, owner: AssetOwner) => diskLayout(folder.file(name)).file(uploaded(owner));
  const copy = { db: t.db, source, target, scratch, progress };
  return { source, target, copy, first, second, third, fileOf, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** What a copy reports, problems as sentences. */
async function report(copy: Parameters<typeof transferItems>[0]) {
  const { problems, ...counts } = await transferItems(copy);
  return { ...counts, problems: problems.map(({ message }) => message) };
}

test('originals and renditions arrive, also after a copy that was interrupted in any of them', async () => {
  await using t = await setUp();
  const { target, copy } = t;
  let [tries, left] = [0, 0];
  const stopping = new Proxy(target, {
    get(store, name: keyof typeof target) {
      if (!name.startsWith('put')) return store[name];
      return async (...args: never[]) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return (store[name] as (...each: never[]) => Promise<void>)(...args);
      };
    },
  });
  for (let done = false; !done; tries++) {
    left = 1;
    done = await transferItems({ ...copy, target: stopping }).then(
      () => true,
      (error: Error) => error.message !== 'killed',
    );
  }
  expect(tries).toBe(6);
  expect(await transferItems(copy)).toEqual({ items: 3, bytes: 30, problems: [] });
  for (const [i, row] of [t.first, t.second, t.third].entries()) {
    expect(await readFile(t.fileOf('two', row), 'utf8')).toBe(`original ${i}`);
    expect((await target.listRenditions(row)).toSorted()).toEqual(['a.webp', 'b.webp']);
    expect(await target.withLocalCopy(rendition(row, 'b.webp'), (file) => readFile(file, 'utf8'))).toBe(
      `b.webp of ${i}`,
    );
  }
});

test('a missing and a damaged original are left out and named, and what arrived damaged too', async () => {
  await using t = await setUp();
  await rm(t.fileOf('one', t.first));
  await writeFile(t.fileOf('one', t.second), 'original X');
  expect(await report(t.copy)).toEqual({
    items: 1,
    bytes: 10,
    problems: [
      `The original of film 0.mp4 (${t.first.id}) is missing, and was left out.`,
      `The original of film 1.mp4 (${t.second.id}) is damaged, and was left out.`,
    ],
  });
  await writeFile(t.fileOf('two', t.third), 'original Y');
  expect((await report(t.copy)).problems[2]).toBe(`What arrived of film 2.mp4 (${t.third.id}) differs: its original.`);
  await truncate(t.fileOf('two', t.third), 2);
  expect((await report(t.copy)).problems).toHaveLength(2);
});
