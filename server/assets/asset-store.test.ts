import { existsSync } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { type RemovableItem, shared } from './asset-store.ts';
import { createFileAssetStore } from './file-asset-store.ts';

/** The calls to the disk, and which of them fails. */
const disk = vi.hoisted(() => ({ calls: [] as string[], failAt: Infinity, code: 'EIO' }));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof FileSystem>();
  /** Counts a call; when it is the one that is to fail, does a part of it first, as a short write does. */
  const step = async (name: string, target: unknown, part: () => Promise<unknown> = () => Promise.resolve()) => {
    disk.calls.push(`${name} ${String(target)}`);
    if (disk.calls.length !== disk.failAt) return;
    await part();
    throw Object.assign(new Error(`${disk.code}: ${name}`), { code: disk.code });
  };
  return {
    ...real,
    mkdir: async (...args: Parameters<typeof real.mkdir>) => {
      await step('mkdir', args[0]);
      return real.mkdir(...args);
    },
    rename: async (from: string, to: string) => {
      await step('rename', to);
      return real.rename(from, to);
    },
    open: async (...args: Parameters<typeof real.open>) => {
      await step('open', args[0]);
      const handle = await real.open(...args);
      const [write, sync] = [handle.writeFile.bind(handle), handle.sync.bind(handle)];
      handle.writeFile = async (content: string) => {
        await step('write', args[0], () => write(content.slice(0, content.length / 2)));
        return write(content);
      };
      handle.sync = async () => {
        await step('sync', args[0]);
        return sync();
      };
      return handle;
    },
  };
});

afterEach(() => {
  disk.failAt = Infinity;
});

async function setUp() {
  const folder = await temporaryFolder();
  const store = createFileAssetStore(folder.path);
  await store.prepare();
  const owner = { workspace_id: 'w', id: 'i', filename: 'a.mp4', sha256: 'x' };
  const upload = folder.file('file');
  await writeFile(upload, 'the whole file');
  disk.calls.length = 0;
  return {
    folder,
    store,
    owner,
    upload,
    item: folder.file('assets/w/i'),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

test.each(['ENOSPC', 'EIO'])(
  'with %s at any call of the disk nothing half is adopted and nothing is left over',
  async (code) => {
    let failed = 0;
    for (let n = 1; ; n++) {
      await using t = await setUp();
      Object.assign(disk, { failAt: n, code });
      const outcome = await t.store.putOriginal(t.upload, t.owner).then(
        () => 'adopted',
        (error: NodeJS.ErrnoException) => error.code,
      );
      disk.failAt = Infinity;
      if (outcome === 'adopted') {
        expect(await readFile(path.join(t.item, 'original'), 'utf8')).toBe('the whole file');
        break;
      }
      failed += 1;
      expect(outcome, `call ${n}`).toBe(code);
      expect(existsSync(t.item), `call ${n}: ${disk.calls.join(', ')}`).toBe(false);
      // The upload was not acknowledged, and a retry succeeds.
      await writeFile(t.upload, 'the whole file');
      await t.store.putOriginal(t.upload, t.owner);
      expect((await readdir(t.item)).toSorted()).toEqual(['about.json', 'original']);
    }
    expect(failed).toBeGreaterThan(8);
  },
);

test('an original is durable when it is adopted: its folder and that of the workspace are synced after the move', async () => {
  await using t = await setUp();
  await t.store.putOriginal(t.upload, t.owner);
  const at = (call: string) => disk.calls.lastIndexOf(call);
  const moved = at(`rename ${path.join(t.item, 'original')}`);
  expect(at(`sync ${path.join(t.item, 'about.json')}`)).toBeGreaterThan(-1);
  expect(at(`sync ${t.item}`)).toBeGreaterThan(moved);
  expect(at(`sync ${path.dirname(t.item)}`)).toBeGreaterThan(moved);
  // The folder of the workspace is new, too.
  expect(at(`sync ${t.folder.file('assets')}`)).toBeGreaterThan(-1);
  expect(moved).toBeGreaterThan(-1);
});

test('renditions are synced with their folders before a row names them', async () => {
  await using t = await setUp();
  await t.store.putOriginal(t.upload, t.owner);
  const folder = t.folder.file('rendered');
  await mkdir(folder);
  await writeFile(path.join(folder, 'poster.webp'), 'x');
  disk.calls.length = 0;
  await t.store.putRenditions(t.owner, 1, folder);
  const synced = [path.join(folder, 'poster.webp'), folder, path.join(t.item, 'renditions'), t.item];
  expect(disk.calls.filter((call) => call.startsWith('sync'))).toEqual(synced.map((target) => `sync ${target}`));
});

test('what is made for a public link goes with its item, and does not bring the folder of a deleted one back', async () => {
  await using t = await setUp();
  await t.store.putOriginal(t.upload, t.owner);
  for (const name of ['a.mp4', 'b.mp4']) await writeFile(t.folder.file(name), name);
  await t.store.putDerived(t.folder.file('a.mp4'), shared(t.owner, 'a.mp4'));
  expect((await t.store.stat(shared(t.owner, 'a.mp4')))?.bytes).toBe(5);
  await t.store.removeDerived(shared(t.owner, 'unknown.mp4'));
  await t.store.remove({ workspace_id: t.owner.workspace_id, id: t.owner.id } as RemovableItem);
  expect(await t.store.stat(shared(t.owner, 'a.mp4'))).toBeNull();
  await expect(t.store.putDerived(t.folder.file('b.mp4'), shared(t.owner, 'b.mp4'))).rejects.toMatchObject({
    code: 'ENOENT',
  });
  // oxlint-disable-next-line no-unreachable-loop -- nothing is there
  for await (const owner of t.store.list()) expect(owner).toBeNull();
});
