import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { storeMedia } from './store-media.ts';

test.each([
  ['is removed with a transaction that was surely rolled back', 'SQLITE_FULL', 0],
  ['stays where the commit may have reached the disk', 'SQLITE_IOERR_FSYNC', 1],
])('a file %s', async (_, code, left) => {
  await using folder = await temporaryFolder();
  const db = await openCatalog(catalogFile(folder.path));
  const assets = createFileAssetStore(folder.path);
  await assets.prepare();
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  const arrived = folder.file('file.png');
  await makePhoto(arrived, plain(200, 30, 30));
  const file = { path: arrived, filename: 'red.png', size: 1, sha256: 'x' };
  const failure = Object.assign(new Error('disk I/O error'), { code });
  await expect(storeMedia({ db, assets }, id, file, {}, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(await readdir(folder.file(`assets/${id}`))).toHaveLength(left);

  // Nor is the folder left of a file that cannot be moved.
  await expect(
    storeMedia({ db, assets }, id, { ...file, path: folder.file('none.png') }, {}, () => Promise.resolve()),
  ).rejects.toThrow();
  expect(await readdir(folder.file(`assets/${id}`))).toHaveLength(left);
  await db.destroy();
});
