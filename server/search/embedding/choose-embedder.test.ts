import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { loadTextTower } from '../../../packages/models/builtin/text-tower.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { chooseEmbedder } from './choose-embedder.ts';

test('where the built-in embedder cannot be run, the descriptors are used, and a sentence says why', async () => {
  await using folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  const trials = {
    tryModel: () => Promise.reject(new Error('There is no model to try.')),
    // A folder without weights.
    tryBuiltin: async () => void (await loadTextTower(folder.path)),
  };
  for (const setting of ['auto', 'builtin', 'clip-vit-base-patch32']) {
    const { reference, problem } = await chooseEmbedder({ db, dataDirectory: folder.path, setting }, trials);
    expect([setting, reference.kind]).toEqual([setting, 'descriptors']);
    expect(problem).toMatch(/^The weights .* of the built-in embedder cannot be loaded\.$/);
  }
  await db.destroy();
});
