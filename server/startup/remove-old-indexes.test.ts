import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { removeOldIndexes } from './remove-old-indexes.ts';

test('the indexes of earlier versions are removed from all workspaces, and nothing else', async () => {
  await using folder = await temporaryFolder();
  const kept = ['descriptors-1.index', 'descriptors-1.rankings', 'descriptors-1.rankings.graph', 'my.usearch.index'];
  for (const workspace of ['a', 'b']) {
    await mkdir(folder.file(workspace));
    for (const name of [...kept, 'descriptors-1.usearch', 'descriptors-1.usearch.json']) {
      await writeFile(folder.file(`${workspace}/${name}`), '');
    }
  }
  await removeOldIndexes(folder.path);
  for (const workspace of ['a', 'b']) expect((await readdir(folder.file(workspace))).toSorted()).toEqual(kept);
});
