import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '../../../contract/accounts.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import type { Catalog } from '../schema.ts';
import { inService } from '../transactions.ts';
import { endSessions } from './sessions.ts';

/** A person's name, e-mail address and password, and the first of their workspaces. */
export type Account = { id: string; password_hash: string | null; workspace_id: string };

/** The person who signs in with this e-mail address. Undefined when there is none, or they no longer belong to a workspace. */
export function findAccount(db: Catalog, email: string): Promise<Account | undefined> {
  return db
    .selectFrom('people')
    .innerJoin('memberships', 'memberships.person_id', 'people.id')
    .where('people.email', '=', email)
    .select(['people.id', 'people.password_hash', 'memberships.workspace_id'])
    .orderBy('memberships.created_at')
    .executeTakeFirst();
}

/**
 * The person with this e-mail address who belongs to no workspace any more: they cannot sign in, and come back by an invitation. Undefined when there
 * is none.
 */
export function findFormerMember(db: Catalog, email: string): Promise<Omit<Account, 'workspace_id'> | undefined> {
  return db
    .selectFrom('people')
    .where('email', '=', email)
    .where('id', 'not in', db.selectFrom('memberships').select('person_id'))
    .select(['id', 'password_hash'])
    .executeTakeFirst();
}

/** Creates a person with an e-mail address to sign in with. Undefined when another person has that address. */
export async function createPerson(
  db: Catalog,
  fields: { name: string; email: string; password_hash: string },
): Promise<string | undefined> {
  const row = await db
    .insertInto('people')
    .values({ id: randomUUIDv7(), ...fields, created_at: new Date().toISOString() })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** A person as a member of a workspace. Changes of a person that is no member of it any more have no effect. */
type MemberId = { workspaceId: string; personId: string };

const memberIn = (db: Catalog, { workspaceId, personId }: MemberId) =>
  db
    .selectFrom('memberships')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .select('person_id');

/**
 * Changes the name or e-mail address of a member of a workspace. Another address ends their sessions but this one, as another password does:
 * an intruder must not stay signed in. False when another person has that address.
 * @param session the token of the session that asks for it
 */
export function updatePerson(
  db: Catalog,
  member: MemberId,
  changes: { name?: string | undefined; email?: string | undefined },
  session: string,
): Promise<boolean> {
  return inService(db, async (transaction) => {
    if (changes.email !== undefined) {
      const other = await transaction
        .selectFrom('people')
        .select('id')
        .where('email', '=', changes.email)
        .where('id', '!=', member.personId)
        .executeTakeFirst();
      if (other) return false;
    }
    const person = transaction.selectFrom('people').where('id', 'in', memberIn(transaction, member));
    const before = await person.select('email').executeTakeFirst();
    await transaction.updateTable('people').set(changes).where('id', 'in', memberIn(transaction, member)).execute();
    const isMoved = before !== undefined && changes.email !== undefined && changes.email !== before.email;
    if (isMoved) await endSessions(transaction, member.personId, session);
    return true;
  }).catch((error: unknown) => {
    // Who is invited is added in the meantime.
    if (hasErrorCode(error, '23505')) return false;
    throw error;
  });
}

/** Sets the password of a member of a workspace, and ends their sessions but this one. @param session its token */
export function setPasswordHash(db: Catalog, member: MemberId, password_hash: string, session: string): Promise<void> {
  return inService(db, async (transaction) => {
    await transaction
      .updateTable('people')
      .set({ password_hash })
      .where('id', 'in', memberIn(transaction, member))
      .execute();
    await endSessions(transaction, member.personId, session);
  });
}

/** All workspaces of a person, by name. */
export function listWorkspacesOf(db: Catalog, personId: string): Promise<{ id: string; name: string; role: Role }[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .where('memberships.person_id', '=', personId)
    .select(['workspaces.id', 'workspaces.name', 'memberships.role'])
    .orderBy('workspaces.name')
    .orderBy('workspaces.id')
    .execute();
}
