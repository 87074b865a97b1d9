import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { createGroup } from '../labels/item-groups.ts';
import { createLabel, updateLabel } from '../labels/labels.ts';
import { openCatalog } from '../open-catalog.ts';
import { openSearchReader } from './search-reader.ts';

test('labels are found by any part of their name as it is now, in their own workspace only', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const db = await openCatalog(file);
  await using _closing = { [Symbol.asyncDispose]: () => db.destroy() };
  const secrets = createSecrets(new Uint8Array(32));
  const { id } = await createWorkspace(db, secrets, { workspace: 'A', owner: 'A' });
  const { id: other } = await createWorkspace(db, secrets, { workspace: 'B', owner: 'B' });
  const add = async (kind: 'creators' | 'categories', workspaceId: string, name: string) =>
    (await createLabel(db, kind, workspaceId, kind === 'creators' ? { name } : { name, description: '' }))?.id ?? '';
  const ana = await add('creators', id, 'Ana Müller');
  const walks = await add('categories', id, 'Long Walks');
  const same = await add('categories', id, 'Walks of Ana');
  await add('creators', other, 'Ana Müller');
  const group = async (kind: 'collections' | 'tags', workspaceId: string, name: string) => {
    const row = await createGroup(db, kind, workspaceId, name);
    return typeof row === 'string' ? row : row.id;
  };
  const painting = await group('tags', id, 'Painting');
  const indoors = await group('tags', id, 'quiet, indoors');
  const lisbon = await group('collections', id, 'Trip to Lisbon');
  await group('tags', other, 'Painting');
  const reader = openSearchReader(file);
  const find = (...terms: string[]) =>
    reader
      .findLabels(id, terms)
      .map(({ term, name, id }) => `${terms[term]} ${name} ${id}`)
      .toSorted();
  expect(find('ana', 'WALK', '100%')).toEqual(
    [
      `ana creator_id ${ana}`,
      `ana category_id ${same}`,
      `WALK category_id ${walks}`,
      `WALK category_id ${same}`,
    ].toSorted(),
  );
  // The same letter, as a letter with a mark.
  expect(find('mu\u0308ller')).toEqual([`mu\u0308ller creator_id ${ana}`]);
  expect(find()).toEqual([]);
  expect(find('lisbon', 'paint', 'aint')).toEqual(
    [`lisbon collection_id ${lisbon}`, `paint tag_id ${painting}`, `aint tag_id ${painting}`].toSorted(),
  );
  // Few letters count where a word begins.
  expect(find('in', 'ain')).toEqual([`in tag_id ${indoors}`]);
  await updateLabel(db, 'creators', id, ana, { name: 'Bo' });
  expect([find('müller'), find('bo')]).toEqual([[], [`bo creator_id ${ana}`]]);
  // So many that they are no longer kept.
  for (let i = 0; i < 520; i++) await group('tags', id, `Numbered ${i}`);
  const last = await group('tags', id, 'Lastly');
  expect([find('bo'), find('lastly'), find('Numbered 519').length]).toEqual([
    [`bo creator_id ${ana}`],
    [`lastly tag_id ${last}`],
    1,
  ]);
});
