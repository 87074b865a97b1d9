import { expect, test } from 'vitest';
import { addMember } from '../../testing/add-member.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { setPasswordHash, updatePerson } from './people.ts';

test('a person is changed as a member of a workspace, and not through another one', async () => {
  await using t = await openTestCatalog();
  const { id: other } = await t.addWorkspace('Other');
  const { person: personId } = await addMember(t, 'ana@example.org');
  const read = () =>
    t.db.selectFrom('people').where('id', '=', personId).select(['name', 'password_hash']).executeTakeFirst();
  await updatePerson(t.db, { workspaceId: other, personId }, { name: 'Mallory' }, '');
  await setPasswordHash(t.db, { workspaceId: other, personId }, 'theirs', '');
  expect(await read()).toEqual({ name: 'Member', password_hash: '' });
  expect(await updatePerson(t.db, { workspaceId: t.workspaceId, personId }, { name: 'Ana' }, '')).toBe(true);
  await setPasswordHash(t.db, { workspaceId: t.workspaceId, personId }, 'own', '');
  expect(await read()).toEqual({ name: 'Ana', password_hash: 'own' });
});
