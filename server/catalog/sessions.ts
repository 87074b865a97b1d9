import { hashToken, randomToken } from '../secrets.ts';
import type { Catalog } from './schema.ts';

const day = 24 * 60 * 60 * 1000;
/** How long a sign-in link can be used. */
const linkLifetime = day;
/** How long a browser stays signed in. */
export const sessionLifetime = 30 * day;

export type Member = {
  person: { id: string; name: string };
  workspace: { id: string; name: string; role: 'owner' | 'member' };
};

const after = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

/**
 * Makes a one-time sign-in token for the first owner of a workspace, good for 24 hours.
 * Earlier unused ones stop working, so that only the latest printed link does.
 */
export function createSignInToken(db: Catalog, workspaceId: string): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const owner = await transaction
      .selectFrom('memberships')
      .select('person_id')
      .where('workspace_id', '=', workspaceId)
      .where('role', '=', 'owner')
      .orderBy('created_at')
      .executeTakeFirstOrThrow();
    await transaction
      .deleteFrom('sign_in_links')
      .where('person_id', '=', owner.person_id)
      .where('used_at', 'is', null)
      .execute();
    const token = randomToken();
    await transaction
      .insertInto('sign_in_links')
      .values({
        token_hash: hashToken(token),
        workspace_id: workspaceId,
        person_id: owner.person_id,
        expires_at: after(linkLifetime),
        used_at: null,
      })
      .execute();
    return token;
  });
}

/** Whether anybody ever used a sign-in link of this workspace. */
export async function hasSignedIn(db: Catalog, workspaceId: string): Promise<boolean> {
  const used = await db
    .selectFrom('sign_in_links')
    .select('token_hash')
    .where('workspace_id', '=', workspaceId)
    .where('used_at', 'is not', null)
    .executeTakeFirst();
  return used !== undefined;
}

/**
 * Trades a one-time sign-in token for a session.
 * @returns the session's token, or undefined when the link is unknown, used or expired
 */
export function signIn(db: Catalog, token: string): Promise<string | undefined> {
  return db.transaction().execute(async (transaction) => {
    const now = new Date().toISOString();
    const link = await transaction
      .updateTable('sign_in_links')
      .set({ used_at: now })
      .where('token_hash', '=', hashToken(token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning(['workspace_id', 'person_id'])
      .executeTakeFirst();
    if (!link) return undefined;
    await transaction.deleteFrom('sessions').where('expires_at', '<', now).execute();
    const session = randomToken();
    await transaction
      .insertInto('sessions')
      .values({ token_hash: hashToken(session), ...link, created_at: now, expires_at: after(sessionLifetime) })
      .execute();
    return session;
  });
}

export async function signOut(db: Catalog, session: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', hashToken(session)).execute();
}

/** Whom a session belongs to, or undefined when it is unknown or expired. */
export async function findMember(db: Catalog, session: string): Promise<Member | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'sessions.workspace_id')
        .onRef('memberships.person_id', '=', 'sessions.person_id'),
    )
    .where('sessions.token_hash', '=', hashToken(session))
    .where('sessions.expires_at', '>', new Date().toISOString())
    .select([
      'people.id as personId',
      'people.name as personName',
      'workspaces.id as workspaceId',
      'workspaces.name as workspaceName',
      'memberships.role',
    ])
    .executeTakeFirst();
  return (
    row && {
      person: { id: row.personId, name: row.personName },
      workspace: { id: row.workspaceId, name: row.workspaceName, role: row.role },
    }
  );
}
