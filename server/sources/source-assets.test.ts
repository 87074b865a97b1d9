import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { withSources } from './source-assets.ts';

test('an original of a source that the operator no longer allows is not read', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file('a.jpg'), 'x');
  const place = { name: 'NAS', kind: 'folder' as const, location: folder.path, root: null, problem_message: 'No.' };
  const store: Pick<AssetStore, 'withLocalCopy'> = {
    withLocalCopy: () => Promise.reject(new Error('not in a source')),
  };
  const copyOf = (problem_code: string | null) =>
    withSources(store, {
      dataDirectory: folder.file('data'),
      findSource: () => Promise.resolve({ ...place, problem_code }),
      buckets: { withLocalCopy: () => Promise.reject(new Error('not in a bucket')) },
    }).withLocalCopy(
      { kind: 'in source', owner: { workspace_id: 'w', id: 'i' }, source: 's', path: 'a.jpg' } as never,
      () => Promise.resolve('read'),
    );
  expect(await copyOf(null)).toBe('read');
  await expect(copyOf('not_allowed')).rejects.toMatchObject({ code: 'source_offline' });
});
