import { createPerson } from '../catalog/accounts/people.ts';
import { createSession } from '../catalog/accounts/sessions.ts';
import type { Catalog } from '../catalog/schema.ts';

/** A member without the role of owner, signed in to the first workspace. */
export async function addMember({ db, workspaceId }: { db: Catalog; workspaceId: string }, email: string) {
  const person = await createPerson(db, { name: 'Member', email, password_hash: '' });
  if (person === undefined) throw new Error('There is such a person.');
  await db
    .insertInto('memberships')
    .values({ workspace_id: workspaceId, person_id: person, role: 'member', created_at: new Date().toISOString() })
    .execute();
  return { person, cookie: `media_search_session=${await createSession(db, person, workspaceId)}` };
}
