import type { Role } from '../../../contract/accounts.ts';
import { hashToken, randomToken } from '../../platform/crypto/secrets.ts';
import type { Catalog } from '../schema.ts';
import type { TrafficLimits } from '../tables/accounts.ts';
import { inRows, inService, inWorkspace } from '../transactions.ts';
import { trafficLimitNames } from './plans.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long a sign-in link can be used. */
const signInLinkLifetimeMs = dayMs;
/** How long a browser stays signed in. */
export const sessionLifetimeMs = 30 * dayMs;

export type Member = {
  person: { id: string; name: string; email: string | null; password_hash: string | null };
  workspace: { id: string; name: string; role: Role };
  traffic: TrafficLimits;
};

const fromNow = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

/**
 * Creates a one-time sign-in token for the first owner of a workspace, valid for 24 hours.
 * Earlier unused ones stop working, so that only the latest printed link does.
 */
export function createSignInToken(db: Catalog, workspaceId: string): Promise<string> {
  return inWorkspace(db, workspaceId, async (transaction) => {
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
        expires_at: fromNow(signInLinkLifetimeMs),
        used_at: null,
      })
      .execute();
    return token;
  });
}

/** Whether a sign-in link of this workspace was ever used. */
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
 * Exchanges a one-time sign-in token for a session.
 * @returns the session's token, or undefined when the link is unknown, used or expired
 */
export function signInByLink(db: Catalog, token: string): Promise<string | undefined> {
  return inRows(db, async (transaction) => {
    const now = new Date().toISOString();
    const link = await transaction
      .updateTable('sign_in_links')
      .set({ used_at: now })
      .where('token_hash', '=', hashToken(token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning(['workspace_id', 'person_id'])
      .executeTakeFirst();
    return link && createSession(transaction, link.person_id, link.workspace_id);
  });
}

/** Signs a person in to a workspace that they belong to. Returns the session's token. */
export async function createSession(db: Catalog, personId: string, workspaceId: string): Promise<string> {
  const now = new Date().toISOString();
  await db.deleteFrom('sessions').where('expires_at', '<', now).execute();
  const session = randomToken();
  await db
    .insertInto('sessions')
    .values({
      token_hash: hashToken(session),
      workspace_id: workspaceId,
      person_id: personId,
      created_at: now,
      expires_at: fromNow(sessionLifetimeMs),
    })
    .execute();
  return session;
}

export async function signOut(db: Catalog, session: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', hashToken(session)).execute();
}

/** Ends all sessions of a person, of all workspaces, and unused sign-in links. */
export const signOutEverywhere = (db: Catalog, personId: string): Promise<void> =>
  inService(db, (transaction) => endSessions(transaction, personId));

/** Does the same in a transaction. @param kept token of a session that goes on */
export async function endSessions(transaction: Catalog, personId: string, kept?: string): Promise<void> {
  const sessions = transaction.deleteFrom('sessions').where('person_id', '=', personId);
  await (kept === undefined ? sessions : sessions.where('token_hash', '!=', hashToken(kept))).execute();
  await transaction
    .deleteFrom('sign_in_links')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .execute();
}

/** Switches a session to another workspace of its person. False when they do not belong to it. */
export async function switchWorkspace(
  db: Catalog,
  session: string,
  personId: string,
  workspaceId: string,
): Promise<boolean> {
  const membership = await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  if (!membership) return false;
  await db
    .updateTable('sessions')
    .set({ workspace_id: workspaceId })
    .where('token_hash', '=', hashToken(session))
    .execute();
  return true;
}

/** The person and workspace of a session, or undefined when it is unknown or expired or its person left the workspace. */
export async function findMember(db: Catalog, session: string): Promise<Member | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
    .innerJoin('plans', 'plans.id', 'workspaces.plan_id')
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
      'people.email',
      'people.password_hash',
      'workspaces.id as workspaceId',
      'workspaces.name as workspaceName',
      'memberships.role',
    ])
    .select(trafficLimitNames.map((name) => `plans.${name}` as const))
    .executeTakeFirst();
  if (!row) return undefined;
  const { personId, personName, email, password_hash, workspaceId, workspaceName, role, ...traffic } = row;
  return {
    traffic,
    person: { id: personId, name: personName, email, password_hash },
    workspace: { id: workspaceId, name: workspaceName, role },
  };
}
