import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { uploaded, type RemovableItem } from '../../assets/asset-store.ts';
import { createLabel, deleteLabel } from '../../catalog/labels/labels.ts';
import { findMedia } from '../../catalog/media/media-items.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { findUpload, type UploadRow } from '../../catalog/media/uploads.ts';
import { collectOrphans } from '../../operations/check/collect-orphans.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { film, setUpUploads } from '../../testing/upload-setup.ts';
import { finishUpload } from './finish-upload.ts';

const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
const never = new AbortController().signal;

describe.each(backends)('%s', (backend) => {
  const setUp = () => setUpUploads(backend);

  test('an end that a crash interrupted goes on, and a start in between leaves its file where it is', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    await t.send(id, film);
    const row = (await findUpload(t.db, t.workspaceId, id)) as UploadRow;
    // The file is where the original goes, and the process was killed before the row of the item.
    await t.partialFiles.complete(row, 'x');
    await collectOrphans({ ...t, log });
    const own = { workspace_id: t.workspaceId, id: item_id };
    expect((await t.assets.stat(uploaded(own)))?.bytes).toBe(film.length);
    const ended = await t.hold(id, never, (held) => finishUpload(t, held.row));
    expect(ended).toMatchObject({ media_id: item_id, error: null, hash_state: null });
    expect(await findMedia(t.db, t.workspaceId, item_id)).toMatchObject({ filename: 'film.mpg', size: film.length });
    expect(t.onStored).toHaveBeenCalledOnce();
    // Again it stays as it is.
    expect(await t.hold(id, never, (held) => finishUpload(t, held.row))).toMatchObject({ media_id: item_id });
  });

  test('a failure of the machine at the end loses nothing', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    await t.send(id, film);
    const putOriginal = vi.spyOn(t.assets, 'putOriginal');
    putOriginal.mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    const finish = () => t.hold(id, never, (held) => finishUpload(t, held.row));
    await expect(finish()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await finish()).toMatchObject({ media_id: item_id });
  });

  test('an empty part behind the last byte, as after an end that was interrupted, loses nothing', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    await t.send(id, film);
    await t.partialFiles.complete((await findUpload(t.db, t.workspaceId, id)) as UploadRow, 'x');
    await t.send(id, Buffer.alloc(0));
    const ended = await t.hold(id, never, (held) => finishUpload(t, held.row));
    expect(ended).toMatchObject({ media_id: item_id });
  });

  test('a request that lost its turn while it ended an upload stores no item', async () => {
    await using t = await setUp();
    const { id, item_id } = await t.begin();
    await t.send(id, film);
    const ending = t.hold(id, never, async ({ row }) => {
      await t.db.updateTable('uploads').set({ lease_owner: 'another' }).where('id', '=', id).execute();
      return finishUpload(t, row);
    });
    await expect(ending).rejects.toMatchObject({ code: 'offset_mismatch' });
    expect(await findMedia(t.db, t.workspaceId, item_id)).toBeUndefined();
    expect(await findUpload(t.db, t.workspaceId, id)).toMatchObject({ ended_at: null, media_id: null });
  });

  test('labels that are deleted while an upload is ended are left out', async () => {
    await using t = await setUp();
    const creator_id = (await createLabel(t.db, 'creators', t.workspaceId, { name: 'Ada' }))?.id ?? '';
    const { id, item_id } = await t.begin(film.length, { creator_id });
    await t.send(id, film);
    const complete = t.partialFiles.complete.bind(t.partialFiles);
    vi.spyOn(t.partialFiles, 'complete').mockImplementationOnce(async (...rest) => {
      const isNew = await complete(...rest);
      await deleteLabel(t.db, 'creators', t.workspaceId, creator_id);
      return isNew;
    });
    await t.hold(id, never, (held) => finishUpload(t, held.row));
    expect(await findMedia(t.db, t.workspaceId, item_id)).toMatchObject({ creator_id: null, size: film.length });
  });

  test('of a file that is refused nothing is kept', async () => {
    await using t = await setUp();
    const text = Buffer.from('no picture');
    const { id, item_id } = await t.begin(text.length);
    await t.send(id, text);
    const ending = t.hold(id, never, (held) => finishUpload(t, held.row));
    await expect(ending).rejects.toMatchObject({ code: 'unsupported_media_type' });
    expect(await t.assets.stat(uploaded({ workspace_id: t.workspaceId, id: item_id }))).toBeNull();
    expect(await readdir(t.folder.file(path.join('partial-files', t.workspaceId)))).toEqual([]);
  });

  test('of a file that the workspace has nothing more is kept, and its bytes are wanted while they are damaged', async () => {
    await using t = await setUp();
    const sha256 = createHash('sha256').update(film).digest('hex');
    const first = await t.begin();
    await t.send(first.id, film);
    await t.hold(first.id, never, (held) => finishUpload(t, held.row));
    const own = { workspace_id: t.workspaceId, id: first.item_id };
    expect(await t.begin(film.length, {}, sha256)).toMatchObject({ media_id: own.id, duplicate: 1 });

    await recordOriginalCheck(t.db, own, 'original_missing');
    const again = await t.begin(film.length, {}, sha256);
    expect(again).toMatchObject({ media_id: null, received: 0 });
    await t.assets.remove(own as RemovableItem);
    await t.send(again.id, film);
    const ended = await t.hold(again.id, never, (held) => finishUpload(t, held.row));
    expect(ended).toMatchObject({ media_id: own.id, duplicate: 1 });
    expect((await t.assets.stat(uploaded(own)))?.bytes).toBe(film.length);
    expect(await t.assets.stat(uploaded({ ...own, id: again.item_id }))).toBeNull();
    expect(t.onStored).toHaveBeenCalledOnce();
  });
});
