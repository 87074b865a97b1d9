import { expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { moveToTrash, restoreFromTrash } from '../media/trash.ts';
import { readCopySearch, readFingerprints, requestMissingFingerprints, storeFingerprint } from './fingerprints.ts';

const frame = { cells: new Float32Array(96).fill(0.1), mean: 100, deviation: 40 };

test.for(backends)('a fingerprint that was made otherwise is not compared, and made again (%s)', async (backend) => {
  await using t = await openTestCatalog(backend);
  const { db, workspaceId } = t;
  const [one, other] = [await t.add(), await t.add()];
  await db.updateTable('media_items').set({ status: 'complete' }).execute();
  for (const item of [one, other]) await storeFingerprint(db, item, [frame]);
  const made = { workspace_id: workspaceId, kind: 'fingerprint', media_id: one.id };
  const jobs = (kind: 'fingerprint' | 'copies') =>
    db.selectFrom('jobs').select(['workspace_id', 'kind', 'media_id']).where('kind', '=', kind).execute();
  const setVersion = (version: number) =>
    db.updateTable('fingerprints').set({ version }).where('media_id', '=', one.id).execute();
  await setVersion(1);
  expect(await readFingerprints(db, workspaceId, [one.id, other.id])).toMatchObject([{ media_id: other.id }]);
  expect(await readCopySearch(db, workspaceId)).toMatchObject({ total: 2, pending: 1 });
  await db.deleteFrom('jobs').execute();
  await requestMissingFingerprints(db);
  expect(await jobs('fingerprint')).toEqual([made]);
  // In the trash nothing is made of it; what comes back from there gets it then.
  await db.deleteFrom('jobs').execute();
  await moveToTrash(db, workspaceId, [one.id, other.id]);
  await requestMissingFingerprints(db);
  expect(await jobs('fingerprint')).toEqual([]);
  await restoreFromTrash(db, workspaceId, [one.id, other.id]);
  expect([await jobs('fingerprint'), await jobs('copies')]).toEqual([
    [made],
    [{ ...made, kind: 'copies', media_id: other.id }],
  ]);
  await storeFingerprint(db, one, [frame]);
  expect(await readFingerprints(db, workspaceId, [one.id])).toHaveLength(1);
});
