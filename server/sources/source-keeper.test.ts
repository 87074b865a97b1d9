import { expect, test } from 'vitest';
import { retryMedia } from '../catalog/media/media-items.ts';
import { enqueueExtractions } from '../catalog/queue/extraction-jobs.ts';
import { requestMissingFingerprints } from '../catalog/reuse/fingerprints.ts';
import { addFiles } from '../catalog/sources/add-files.ts';
import { beginScan, changeSource, setSource, type SourceRow, wantScan } from '../catalog/sources/sources.ts';
import type { Backend } from '../testing/fresh-catalog.ts';
import { file, files, listing, openSource } from '../testing/source-to-scan.ts';
import { createFolderReader } from './folder-reader.ts';
import { SourceError } from './source-error.ts';
import { createSourceKeeper } from './source-keeper.ts';
import { stateOf } from './source-state.ts';

const found = { size: 1000, modified_ms: 1e12, identity: 'new', sidecars: '[]' };

/** A source that is kept, whose disk holds some files. */
async function setUp(count: number, backend: Backend = 'sqlite') {
  const t = await openSource(backend);
  t.disk.list = () => [listing('a', files(count))];
  const keeper = createSourceKeeper(
    {
      db: t.db,
      dataDirectory: '/nowhere',
      roots: ['s3://nas'],
      buckets: { openReader: () => t.reader, refuseOwn: () => undefined },
      removeFiles: () => Promise.resolve(),
      onStored: () => undefined,
      signal: new AbortController().signal,
      log: { error: () => undefined, warn: () => undefined },
    },
    await t.row(),
  );
  await keeper.work(await t.row());
  return { ...t, keeper };
}

test('that missing files are accepted counts for the scan that begins then, and for no other', async () => {
  const t = await setUp(30);
  await using _ = t;
  const rest = [listing('a', files(30).slice(25))];
  const stale = await t.row();
  await wantScan(t.db, stale, true);
  // It was read before that was asked for.
  t.disk.list = () => rest;
  await t.keeper.work(stale);
  expect(await t.items()).toEqual([30, 25]);
  expect(await t.row()).toMatchObject({ accepts_missing: 0, scan_wanted_at: null });
  // One that ends offline keeps nothing; one that is asked for during a scan is kept for the next.
  await wantScan(t.db, stale, true);
  t.disk.list = () => {
    throw new SourceError('hangs', 'It hangs.');
  };
  await t.keeper.work(await t.row());
  expect(await t.row()).toMatchObject({ accepts_missing: 0, problem_code: 'hangs' });
  await wantScan(t.db, stale, true);
  await setSource(t.db, stale, { offline_since: null });
  const begun = await beginScan(t.db, stale);
  await wantScan(t.db, stale, true);
  expect(begun?.accepts_missing).toBe(1);
  await t.scan(rest);
  expect((await t.row()).accepts_missing).toBe(1);
});

test('an error of the database or of the service is no absence: the source stays, and says so until it is scanned', async () => {
  for (const code of ['ECONNRESET', 'ETIMEDOUT', 'ENOENT', undefined]) {
    const t = await setUp(3);
    await using _ = t;
    const good = t.disk.list;
    t.disk.list = () => {
      throw Object.assign(new Error('broke off'), { code });
    };
    await expect(t.keeper.work(await t.row())).rejects.toThrow('broke off');
    const row = await t.row();
    expect(row).toMatchObject({ offline_since: null, scan: null, problem_code: 'scan_failed' });
    expect(stateOf(row)).toBe('ready');
    expect(stateOf({ ...row, last_scan: null })).toBe('ready');
    t.disk.list = good;
    await t.keeper.work(await t.row());
    expect((await t.row()).problem_code).toBeNull();
  }
});

test('an error of a disk is an absence', async () => {
  const options = { root: '/no/such/folder', dataDirectory: '/nowhere', include: [], exclude: [], watch: false };
  const reader = createFolderReader(options, () => undefined);
  await expect(reader.root()).rejects.toThrow(SourceError);
  await expect(reader.root()).rejects.toMatchObject({ code: 'enoent', message: 'Its folder is not there.' });
  reader.stop();
});

test('a scan stops between batches when its source is paused or removed, and takes nothing as gone', async () => {
  for (const change of [{ paused: 1 }, { removed_at: '2026-01-01T00:00:00.000Z' }]) {
    const t = await setUp(5);
    await using _ = t;
    let batches = 0;
    t.reader.list = async function* list() {
      for (; batches < 10; batches++) {
        if (batches === 2) await setSource(t.db, await t.row(), change);
        yield [listing(`b${batches}`, [file(`b${batches}/x.jpg`)])];
      }
    };
    await t.keeper.work(await t.row());
    expect(batches).toBe(2);
    expect(await t.items()).toEqual([7, 0]);
    expect((await t.known()).every(({ missing }) => missing === 0)).toBe(true);
    expect(await t.row()).toMatchObject({ scan: null, offline_since: null, problem_code: null });
    expect(t.keeper.dueAt(await t.row()) <= performance.now()).toBe('removed_at' in change);
  }
});

test.each(['sqlite', 'pglite'] as const)(
  'jobs that are added while a source is paused or offline wait: %s',
  async (backend) => {
    const t = await setUp(2, backend);
    await using _ = t;
    const { db } = t;
    const row = await t.row();
    const { workspace_id } = row;
    const held = async () => {
      const jobs = await db.selectFrom('jobs').select(['kind', 'priority']).orderBy('kind').execute();
      return jobs.filter(({ priority }) => priority >= 100).map(({ kind }) => kind);
    };
    const items = await db.selectFrom('media_items').select(['id', 'workspace_id', 'type']).orderBy('id').execute();
    const [item] = items as [(typeof items)[0]];
    const states: Partial<SourceRow>[] = [{ paused: 1 }, { paused: 0, offline_since: '2026-01-01T00:00:00.000Z' }];
    for (const state of [...states, { paused: 0, offline_since: null }]) {
      await db.deleteFrom('jobs').execute();
      await setSource(db, row, state);
      // A person has one indexed again, a scan adds one, text is to be recognised, and a start looks for fingerprints that are missing.
      await db.updateTable('media_items').set({ status: 'error' }).execute();
      await retryMedia(db, workspace_id, item.id, []);
      await addFiles(db, row, 1, [
        { path: `${state.paused}${state.offline_since}.jpg`, ...found, type: 'image', mimeType: 'image/jpeg' },
      ]);
      await enqueueExtractions(db, item, ['ocr']);
      await db.updateTable('media_items').set({ status: 'complete' }).where('id', '=', item.id).execute();
      await requestMissingFingerprints(db);
      const isHeld = states.includes(state);
      expect(await held()).toEqual(isHeld ? ['fingerprint', 'index', 'index', 'ocr'] : []);
    }
    await setSource(db, row, { paused: 1 });
    await db.deleteFrom('jobs').execute();
    await enqueueExtractions(db, item, ['ocr']);
    await changeSource(db, workspace_id, row.id, { paused: false });
    expect(await held()).toEqual([]);
  },
);
