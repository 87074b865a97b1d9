import { createHash } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { uploaded } from '../../assets/asset-store.ts';
import type { PartialFiles } from '../../assets/partial-files.ts';
import { readReserved } from '../../catalog/accounts/quota.ts';
import { findMedia } from '../../catalog/media/media-items.ts';
import { findUpload, renewUpload, saveProgress, type UploadRow } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { film, setUpUploads } from '../../testing/upload-setup.ts';
import { removeExpiredUploads } from './expire-uploads.ts';
import { finishUpload } from './finish-upload.ts';
import { receivePart } from './receive-part.ts';

const never = new AbortController().signal;

describe.each(backends)('%s', (backend) => {
  const setUp = () => setUpUploads(backend);
  const names = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted();
  const expire = (db: Catalog, id: string) =>
    db.updateTable('uploads').set({ expires_at: '2026-01-01T00:00:00.000Z' }).where('id', '=', id).execute();

  test('one request writes at a time; of several that come the latest, and none that lost its turn', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    const order: string[] = [];
    let lost: UploadRow | undefined | null = null;
    const first = t.hold(id, never, async ({ row, signal }) => {
      order.push('first');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      // It stores what it has before another begins.
      await delay(50);
      order.push('first ends');
      return row;
    });
    await vi.waitFor(() => expect(order).toEqual(['first']), 20_000);
    const second = t.hold(id, never, async ({ row }) => {
      order.push('second');
      return row;
    });
    const refused = expect(second).rejects.toMatchObject({ code: 'offset_mismatch' });
    await delay(10);
    await t.hold(id, never, async ({ row }) => {
      order.push('third');
      const stale = { ...row, lease_owner: (await first).lease_owner ?? '' };
      lost = await saveProgress(t.db, stale, { received: 1, hash_state: null, stored: null });
      return row;
    });
    await refused;
    expect(order).toEqual(['first', 'first ends', 'third']);
    expect(lost).toBeUndefined();
    expect(await findUpload(t.db, t.workspaceId, id)).toMatchObject({
      lease_owner: null,
      wanted_by: null,
      received: 0,
    });
  });

  test('the lease of a process that died ends', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    const past = new Date(Date.now() - 1000).toISOString();
    await t.db.updateTable('uploads').set({ lease_owner: 'gone', lease_until: past }).execute();
    expect(await t.hold(id, never, ({ row }) => Promise.resolve(row))).toMatchObject({ id });
    // Of a clock that was set back by days.
    await t.db.updateTable('uploads').set({ lease_owner: 'gone', lease_until: '2100-01-01T00:00:00.000Z' }).execute();
    expect(await t.hold(id, never, ({ row }) => Promise.resolve(row))).toMatchObject({ id });
  });

  const hoursUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 3_600_000);

  test('an upload is kept for a day after each part, for an hour before the first, and while a request writes', async () => {
    await using t = await setUp();
    const { id, expires_at } = await t.begin();
    expect(hoursUntil(expires_at)).toBe(1);
    await t.hold(id, never, ({ row }) => Promise.resolve(row));
    const asked = (await findUpload(t.db, t.workspaceId, id))?.expires_at ?? '';
    expect(asked).toBe(expires_at);
    expect(hoursUntil((await t.send(id, film.subarray(0, 50))).expires_at)).toBe(24);
    await t.db.updateTable('uploads').set({ expires_at }).where('id', '=', id).execute();
    await t.hold(id, never, async ({ row }) => {
      await renewUpload(t.db, row);
      return row;
    });
    expect(hoursUntil((await findUpload(t.db, t.workspaceId, id))?.expires_at ?? '')).toBe(24);
  });

  test('an upload does not expire between the beginning of a request and its first sign of life', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    const soon = new Date(Date.now() + 200).toISOString();
    await t.db.updateTable('uploads').set({ expires_at: soon }).execute();
    await t.hold(id, never, async ({ row }) => {
      await delay(300);
      expect(await findUpload(t.db, t.workspaceId, id)).toBeDefined();
      expect(await readReserved(t.db, t.workspaceId)).toMatchObject({ items: 1 });
      return row;
    });
  });

  test('bytes that are gone end the upload', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    await t.send(id, film.subarray(0, 50));
    await t.partialFiles.removeUnlisted({ workspace_id: t.workspaceId, id });
    await expect(t.send(id, film.subarray(50))).rejects.toMatchObject({ code: 'not_found' });
    await expect(t.send(id, film)).rejects.toMatchObject({ code: 'not_found' });

    const whole = await t.begin();
    await t.send(whole.id, film);
    await t.partialFiles.removeUnlisted({ workspace_id: t.workspaceId, id: whole.id });
    const finish = () => t.hold(whole.id, never, (held) => finishUpload(t, held.row));
    await expect(finish()).rejects.toMatchObject({ code: 'not_found' });
    await expect(finish()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a part that was noted though the answer of the catalog was lost is kept', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    await t.send(id, film.subarray(0, 40));
    let lost = false;
    const losing = t.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (lost || !result.rows.some((row) => row['received'] === 70 && 'hash_state' in row)) return result;
        lost = true;
        throw new Error('Connection terminated unexpectedly');
      },
    });
    await expect(t.send(id, film.subarray(40, 70), losing)).rejects.toThrow('Connection terminated');
    expect(await findUpload(t.db, t.workspaceId, id)).toMatchObject({ received: 70 });
    await t.send(id, film.subarray(70));
    expect(await t.hold(id, never, (held) => finishUpload(t, held.row))).toMatchObject({ error: null });
  });

  test('what this process has received is not read again', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    const read = vi.spyOn(t.partialFiles as { read: NonNullable<PartialFiles['read']> }, 'read');
    await t.send(id, film.subarray(0, 40));
    await t.send(id, film.subarray(40, 70));
    await t.send(id, film.subarray(70));
    expect(read).not.toHaveBeenCalled();
  });

  test('a part that was not noted takes no room', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    await t.send(id, film.subarray(0, 40));
    // As a catalog on a full disk: it is read, and nothing is written.
    const full = t.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'UpdateQueryNode') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    await expect(t.send(id, film.subarray(40, 70), full)).rejects.toThrow('full');
    expect((await stat(t.folder.file(path.join('partial-files', t.workspaceId, id)))).size).toBe(40);
  });

  test('a write that fails while the client leaves is not counted', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    await t.send(id, film.subarray(0, 40));
    const leaving = new AbortController();
    const partialFiles: PartialFiles = {
      ...t.partialFiles,
      async open(row) {
        const writer = await t.partialFiles.open(row);
        return {
          ...writer,
          async write(bytes) {
            await writer.write(bytes.subarray(0, 10));
            if (bytes.length === 10) return;
            leaving.abort(new Error('gone'));
            throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          },
        };
      },
    };
    const part = {
      body: Readable.from([film.subarray(40, 50), film.subarray(50, 70)]),
      checksum: null,
      signal: leaving.signal,
      checkAccess: () => Promise.resolve(),
    };
    const failed = t.hold(id, never, (held) => receivePart({ ...t, partialFiles }, held, part));
    await expect(failed).rejects.toThrow('full');
    const { received } = (await findUpload(t.db, t.workspaceId, id)) as UploadRow;
    await t.send(id, film.subarray(received));
    await t.hold(id, never, (held) => finishUpload(t, held.row));
    const sha256 = createHash('sha256').update(film).digest('hex');
    expect(await findMedia(t.db, t.workspaceId, item_id)).toMatchObject({ sha256 });
  });

  test('a process that stood still while another took its upload over writes nothing more', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    const other = Buffer.from(film.map((byte, i) => (i < 50 ? byte : byte + 1)));
    async function* body() {
      yield film.subarray(0, 50);
      // It stands still: nothing renews its lease, and no notice reaches it.
      vi.setSystemTime(Date.now() + 11_000);
      const past = new Date(Date.now() - 60_000).toISOString();
      await t.db.updateTable('uploads').set({ lease_until: past }).where('id', '=', id).execute();
      await t.send(id, film);
      yield other.subarray(50);
    }
    const part = { body: body(), checksum: null, signal: never, checkAccess: () => Promise.resolve() };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const stale = t.hold(id, never, (held) => receivePart(t, held, part));
      await expect(stale).rejects.toMatchObject({ code: 'offset_mismatch' });
    } finally {
      vi.useRealTimers();
    }
    await t.hold(id, never, (held) => finishUpload(t, held.row));
    const stored = await readFile(
      await t.assets.withLocalCopy(uploaded({ workspace_id: t.workspaceId, id: item_id }), (file) =>
        Promise.resolve(file),
      ),
    );
    expect(stored).toEqual(film);
  });

  test('an upload does not expire while a request writes to it', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    await t.hold(id, never, async ({ row }) => {
      await expire(t.db, id);
      await removeExpiredUploads(t, never);
      return row;
    });
    expect(await t.db.selectFrom('uploads').select('id').execute()).toEqual([{ id }]);
    await removeExpiredUploads(t, never);
    expect(await t.db.selectFrom('uploads').select('id').execute()).toEqual([]);
  });

  test('what expired is removed, and files that no open upload has; an item stays', async () => {
    await using t = await setUp();
    const root = t.folder.file(path.join('partial-files', t.workspaceId));
    const [expired, open, ended] = [await t.begin(), await t.begin(), await t.begin()];
    for (const { id } of [expired, open]) await t.send(id, film.subarray(0, 50));
    await t.send(ended.id, film);
    await t.hold(ended.id, never, (held) => finishUpload(t, held.row));
    for (const { id } of [expired, ended]) await expire(t.db, id);
    await expect(t.send(expired.id, film.subarray(50))).rejects.toMatchObject({ code: 'not_found' });
    for (const name of ['old', 'young']) await writeFile(path.join(root, name), 'x');
    const hoursAgo = Date.now() / 1000 - 7200;
    for (const name of ['old', open.id]) await utimes(path.join(root, name), hoursAgo, hoursAgo);
    await removeExpiredUploads(t, never);
    expect(await names(root)).toEqual([open.id, 'young'].toSorted());
    expect(await t.db.selectFrom('uploads').select('id').execute()).toEqual([{ id: open.id }]);
    const own = { workspace_id: t.workspaceId, id: ended.item_id };
    expect((await t.assets.stat(uploaded(own)))?.bytes).toBe(film.length);
  });

  test('all that have expired are removed at once, however many', async () => {
    await using t = await setUp();
    const { id } = await t.begin();
    const row = (await findUpload(t.db, t.workspaceId, id)) as UploadRow;
    await t.db
      .insertInto('uploads')
      .values(Array.from({ length: 120 }, (_, place) => ({ ...row, id: `${place}` })))
      .execute();
    await t.db.updateTable('uploads').set({ expires_at: '2026-01-01T00:00:00.000Z' }).execute();
    await removeExpiredUploads(t, never);
    expect(await t.db.selectFrom('uploads').select('id').execute()).toEqual([]);
  });

  test('a workspace has so many open uploads', async () => {
    await using t = await setUp();
    const { id } = await t.begin(1);
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 255)
      insert into uploads (workspace_id, id, item_id, filename, length, metadata, labels, created_at, expires_at)
      select workspace_id, 'x' || i, item_id, filename, 1, '', '{}', created_at, expires_at from uploads, n where id = ${id}`.execute(
      t.db,
    );
    await expect(t.begin(1)).rejects.toThrow('refused');
    // One that has expired has no right to room, also while it is there.
    await expire(t.db, id);
    await t.begin(1);
  });

  test('of uploads that have ended the 1,000 that ended last are kept, and all that are open', async () => {
    await using files = await setUp();
    const { db, workspaceId, begin } = files;
    const open = await begin();
    // What began first ends last, two at a time.
    const ended = Array.from({ length: 1002 }, (_, place) => ({
      ...open,
      id: `${open.id.slice(0, -12)}${String(5000 - place).padStart(12, '0')}`,
      ended_at: new Date(Date.UTC(2026, 0, 1) + Math.ceil(place / 2)).toISOString(),
    }));
    for (let at = 0; at < ended.length; at += 200) {
      await db
        .insertInto('uploads')
        .values(ended.slice(at, at + 200))
        .execute();
    }
    await begin();
    const isThere = async ({ id }: { id: string } = open) => (await findUpload(db, workspaceId, id)) !== undefined;
    expect(await Promise.all([ended[0], ended[1], ended[2], ended.at(-1), open].map(isThere))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
  });
});
