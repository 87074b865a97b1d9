import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AssetOwner, uploaded } from '../../assets/asset-store.ts';
import { readStorageSettings } from '../../assets/storage-settings.ts';
import { deleteMedia, findStoredMedia } from '../../catalog/media/media-items.ts';
import { listPendingRemovals } from '../../catalog/media/pending-removals.ts';
import { findUpload, type UploadRow } from '../../catalog/media/uploads.ts';
import { collectOrphans, scheduleLostItemExpiry } from '../../operations/check/collect-orphans.ts';
import { hashFile } from '../../platform/storage/hash-file.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { type S3Server, startS3Server } from '../../testing/s3-server.ts';
import { film, setUpUploads } from '../../testing/upload-setup.ts';
import { restoreLostMedia } from '../restore-lost-media.ts';
import { storeMedia } from '../store-media.ts';
import { discardUpload } from './discard-upload.ts';
import { removeExpiredUploads } from './expire-uploads.ts';
import { finishInterruptedUploads } from './finish-interrupted.ts';
import { finishUpload } from './finish-upload.ts';

/**
 * Each place that removes originals, with a catalog that has forgotten an item whose upload was acknowledged: an older copy, or one whose log
 * is damaged. Wherever the row of its upload stands, its bytes have to stay somewhere.
 */

const never = new AbortController().signal;
const log = { error: () => undefined, warn: () => undefined, info: () => undefined };

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server[Symbol.asyncDispose]());

const places = backends.flatMap((backend) => [
  { backend, place: 'a data folder', environment: () => ({}) },
  {
    backend,
    place: 'a bucket',
    environment: () => ({ ...server.environment, STORAGE_URL: `s3://media/${randomUUID()}` }),
  },
]);

describe.each(places)('$backend, $place', ({ backend, environment }) => {
  async function setUp() {
    const t = await setUpUploads(backend, readStorageSettings(environment()));
    const { id, item_id } = await t.begin();
    const own = { workspace_id: t.workspaceId, id: item_id };
    await t.send(id, film);
    const whole = await t.db
      .selectFrom('uploads')
      .select(['received', 'hash_state', 'stored'])
      .executeTakeFirstOrThrow();
    await t.hold(id, never, (held) => finishUpload(t, held.row));
    const setRow = (values: Partial<UploadRow>) =>
      t.db.updateTable('uploads').set(values).where('id', '=', id).execute();
    return {
      ...t,
      id,
      own,
      whole,
      setRow,
      /** Takes the item out of the catalog, without saying that it was deleted, and leaves the row of its upload in an earlier state. */
      async forget(row: Partial<UploadRow>) {
        await t.db.deleteFrom('jobs').execute();
        await t.db.deleteFrom('media_items').execute();
        await setRow({ media_id: null, ended_at: null, ...row });
      },
      /** Where the bytes of an item are: what lost+found gives is what is stored at its place in a bucket. */
      async find(owner: AssetOwner = own): Promise<'assets' | 'lost+found' | 'nowhere'> {
        if ((await t.assets.stat(uploaded(owner)))?.bytes === film.length) return 'assets';
        const lost = (await t.lostAndFound.list()).find((item) => item.id === owner.id);
        return lost?.size === film.length ? 'lost+found' : 'nowhere';
      },
      /** What a folder moves and a bucket does not. */
      movedTo: t.assets.isLocal ? ('lost+found' as const) : ('assets' as const),
    };
  }

  const states: [string, Partial<UploadRow>][] = [
    ['empty', { received: 0 }],
    ['partly received', { received: 50 }],
    ['refused', { received: 50, error: '{"code":"quota_exceeded","message":""}', ended_at: '2026-01-01' }],
    ['ended as another item', { received: film.length, media_id: 'another', ended_at: '2026-01-01' }],
    ['whole', { received: film.length }],
  ];

  describe.each(states)('the row is %s', (state, row) => {
    test('a start, the expiry, and whoever discards the upload leave the original', async () => {
      await using t = await setUp();
      await t.forget(row);
      await collectOrphans({ ...t, log });
      // The whole one is about to be ended, and its original becomes that of the item.
      expect(await t.find()).toBe(state === 'whole' ? 'assets' : t.movedTo);
      await t.setRow({ expires_at: '2026-01-01T00:00:00.000Z' });
      await removeExpiredUploads(t, never);
      expect(await findUpload(t.db, t.workspaceId, t.id)).toBeUndefined();
      expect(await t.find()).toBe(t.movedTo);
      expect(await listPendingRemovals(t.db)).toEqual([]);
    });

    test('without a start in between', async () => {
      await using t = await setUp();
      await t.forget(row);
      await discardUpload(t, t.workspaceId, t.id, never);
      expect(await t.find()).toBe(t.movedTo);
      if (t.assets.isLocal) {
        const about = expect.objectContaining({ item: t.own.id }) as object;
        expect(t.warn).toHaveBeenCalledWith(about, 'an original that the catalog does not list is in lost+found');
      }
    });
  });

  test('an upload that is ended and refused leaves the original that was there before', async () => {
    await using t = await setUp();
    await t.forget({ ...t.whole, sha256: 'f'.repeat(64) });
    const ending = t.hold(t.id, never, (held) => finishUpload(t, held.row));
    await expect(ending).rejects.toMatchObject({ code: 'checksum_mismatch' });
    expect(await t.find()).toBe(t.movedTo);
  });

  test('an upload that begins again in an older catalog does not replace the original', async () => {
    await using t = await setUp();
    await t.forget({ received: 0, hash_state: null, stored: null });
    const other = Buffer.from(film).fill(9, 50);
    await t.send(t.id, other);
    const ending = t.hold(t.id, never, (held) => finishUpload(t, held.row));
    if (t.assets.isLocal) await expect(ending).rejects.toMatchObject({ code: 'not_found' });
    else await ending.catch(() => undefined);
    expect(await t.find()).toBe(t.movedTo);
    const [lost] = await t.lostAndFound.list();
    if (lost) expect(await t.lostAndFound.withCopy(lost, ({ sha256 }) => Promise.resolve(sha256))).toBe(sha(film));
    else expect(await t.assets.withLocalCopy(uploaded(t.own), (file) => hashFile(file))).toBe(sha(film));
  });

  test('a process that lost its turn removes nothing that another one is storing', async () => {
    await using t = await setUp();
    const next = await t.begin(4);
    await t.send(next.id, Buffer.from('text'));
    const ending = t.hold(next.id, never, async ({ row }) => {
      await t.db.updateTable('uploads').set({ lease_owner: 'another' }).where('id', '=', next.id).execute();
      return finishUpload(t, row);
    });
    await expect(ending).rejects.toMatchObject({ code: 'offset_mismatch' });
    expect((await t.assets.stat(uploaded({ ...t.own, id: next.item_id })))?.bytes).toBe(4);
  });

  test('what a process was about to end when it was killed is ended, also after a day', async () => {
    await using t = await setUp();
    await t.forget({ ...t.whole, lease_owner: 'killed', lease_until: '2026-01-01', expires_at: '2026-01-02' });
    await collectOrphans({ ...t, log });
    await finishInterruptedUploads({ ...t, log }, never);
    await removeExpiredUploads(t, never);
    expect(await findStoredMedia(t.db, t.workspaceId, t.own.id)).toMatchObject({ size: film.length });
    expect(await findUpload(t.db, t.workspaceId, t.id)).toMatchObject({ media_id: t.own.id });
    expect(await t.find()).toBe('assets');
  });

  test('what failed, and what is still written, is not ended behind the back of its client', async () => {
    await using t = await setUp();
    await t.forget({ ...t.whole, lease_owner: null });
    await finishInterruptedUploads({ ...t, log }, never);
    await t.hold(t.id, never, async ({ row }) => {
      await finishInterruptedUploads({ ...t, log }, never);
      return row;
    });
    expect(await findUpload(t.db, t.workspaceId, t.id)).toMatchObject({ ended_at: null });
  });

  test('a lost item whose time is over stays while the catalog lists it', async () => {
    await using t = await setUp();
    const lost = { ...t.own, found_at: '2026-01-01T00:00:00.000Z', reason: '', filename: 'f', size: film.length };
    t.lostAndFound.listExpired = () => Promise.resolve([{ ...lost, running_seconds: 1e9 }]);
    const expiry = scheduleLostItemExpiry({ ...t, log });
    await delay(200);
    await expiry.stop();
    expect(await t.find()).toBe('assets');
    await t.forget({ ended_at: '2026-01-01' });
    const again = scheduleLostItemExpiry({ ...t, log });
    if (!t.assets.isLocal) await expect.poll(() => t.find()).toBe('nowhere');
    await again.stop();
  });

  test('a lost item that the catalog lists again is restored without losing its original', async () => {
    await using t = await setUp();
    await t.setRow({ ended_at: '2026-01-01' });
    const { taken_local: _, ...removed } = await t.db.selectFrom('media_items').selectAll().executeTakeFirstOrThrow();
    await t.forget({ ended_at: '2026-01-01' });
    // A bucket keeps what is younger than a day for an upload that is under way.
    for (const object of server.objects.values()) object.at = new Date(0);
    await collectOrphans({ ...t, log });
    const [lost] = await t.lostAndFound.list();
    expect(lost).toMatchObject(t.own);
    await t.db.insertInto('media_items').values(removed).execute();
    if (lost) await restoreLostMedia(t, t.workspaceId, lost);
    expect(await t.find()).toBe('assets');
    expect(await t.lostAndFound.list()).toEqual([]);
  });

  test('for good goes what a transaction says: deleted items, refused files, and a file that is there twice', async () => {
    await using t = await setUp();
    await deleteMedia(t.db, t.workspaceId, t.own.id);
    await t.removal.remove(t.workspaceId, t.own.id);
    expect(await t.find()).toBe('nowhere');
    const [refused, first, second] = [await t.begin(4), await t.begin(), await t.begin()];
    await t.send(refused.id, Buffer.from('text'));
    const finish = (id: string) => t.hold(id, never, (held) => finishUpload(t, held.row));
    await expect(finish(refused.id)).rejects.toMatchObject({ code: 'unsupported_media_type' });
    for (const { id } of [first, second]) await t.send(id, film);
    await finish(first.id);
    await finish(second.id);
    for (const { item_id } of [refused, second]) expect(await t.find({ ...t.own, id: item_id })).toBe('nowhere');
    expect(await t.find({ ...t.own, id: first.item_id })).toBe('assets');
    expect(await t.lostAndFound.list()).toEqual([]);
    expect(t.warn).not.toHaveBeenCalled();
  });

  test('an original that no transaction gave away cannot be removed at all', async () => {
    await using t = await setUp();
    // @ts-expect-error -- the type is what keeps it from being called so; only a row of `pending_removals` has it
    const remove = () => t.assets.remove(t.own);
    expect(remove).toBeTypeOf('function');
    await t.removal.remove(t.workspaceId, t.own.id);
    expect(await t.find()).toBe('assets');
    await t.removal.removeUnlisted(t.own, 'No reason.');
    expect(await t.find()).toBe('assets');
    const text = t.folder.file('text');
    await writeFile(text, 'text');
    const file = { path: text, filename: 'a', size: 4, sha256: sha(Buffer.from('text')) };
    await expect(storeMedia(t, t.workspaceId, file, {}, () => Promise.resolve())).rejects.toThrow(
      'no video, image or sound',
    );
  });
});

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Where the service says that an original may go for good, or takes one away, by what it calls. Each place is walked above; a place that joins this list
 * has to be, too.
 */
const removals: [what: string, call: RegExp, places: string[]][] = [
  ['makes a removable item', /\bas (?:RemovableItem|PendingRemoval)\b/, ['catalog/media/pending-removals.ts']],
  [
    'says that one may go',
    /\baddPendingRemoval\b/,
    ['catalog/media/media-items.ts', 'catalog/media/pending-removals.ts'],
  ],
  [
    'says so of one without a row',
    /\baddRemovalOfUnlisted\b/,
    ['catalog/media/pending-removals.ts', 'uploads/media-removal.ts'],
  ],
  [
    'takes one back',
    /\btakeBack\(/,
    ['uploads/media-removal.ts', 'uploads/resumable/finish-upload.ts', 'uploads/store-media.ts'],
  ],
  [
    'removes a lost one',
    /\bremoveLostItem\b/,
    ['operations/check/collect-orphans.ts', 'uploads/media-removal.ts', 'uploads/restore-lost-media.ts'],
  ],
  [
    'deletes an item',
    /\bdeleteMedia\(/,
    [
      'catalog/media/media-items.ts',
      'catalog/sources/sources.ts',
      'http/endpoints/media.ts',
      'http/endpoints/trash.ts',
      'operations/transfer/create-backup.ts',
      'uploads/trash-removal.ts',
    ],
  ],
  [
    'knows where the files of an item are',
    /\b(?:itemFolder|lostFolder|originalIn)\b/,
    ['assets/disk-layout.ts', 'assets/file-asset-store.ts', 'assets/lost-and-found.ts'],
  ],
  [
    'deletes objects of a bucket',
    /\bdeleteObjects?\(|\bDeleteObjects?Command/,
    [
      'assets/s3/check-bucket.ts',
      'assets/s3/list-objects.ts',
      'assets/s3/s3-asset-store.ts',
      'assets/s3/s3-index-files.ts',
      'assets/s3/s3-lost-and-found.ts',
      'assets/s3/s3-partial-files.ts',
    ],
  ],
];

test('no other place removes originals', async () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const files = (await readdir(root, { recursive: true }))
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('testing/'));
  const sources = await Promise.all(
    files.map(async (file) => ({ file, source: await readFile(path.join(root, file), 'utf8') })),
  );
  for (const [what, call, places] of removals) {
    const found = sources.filter(({ source }) => call.test(source)).map(({ file }) => file);
    expect([what, found.toSorted()]).toEqual([what, places]);
  }
});
