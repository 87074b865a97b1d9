import type { Role } from '../../../contract/accounts.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import { disableWebhooksOf, listWebhooks } from '../events/webhooks.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { listActiveKeyMakers, revokeKeysOf } from './api-keys.ts';
import { deleteInvitationsOf } from './invitations.ts';

export type MemberRow = { id: string; name: string; email: string | null; role: Role; joined_at: string };

/** A member with the numbers of working keys and webhooks that they created. */
export type ListedMember = MemberRow & { api_keys: number; webhooks: number };

const selectMembers = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .where('memberships.workspace_id', '=', workspaceId)
    .select(['people.id', 'people.name', 'people.email', 'memberships.role', 'memberships.created_at as joined_at']);

/** The people of a workspace, by when they joined. */
export async function listMembers(db: Catalog, workspaceId: string): Promise<ListedMember[]> {
  const members = await selectMembers(db, workspaceId).orderBy('memberships.created_at').orderBy('people.id').execute();
  const keys = countByMaker(await listActiveKeyMakers(db, workspaceId));
  const webhooks = countByMaker(
    (await listWebhooks(db, workspaceId)).filter(({ disabled_at }) => disabled_at === null),
  );
  return members.map((row) => ({ ...row, api_keys: keys.get(row.id) ?? 0, webhooks: webhooks.get(row.id) ?? 0 }));
}

/** A person of a workspace; undefined when they are no member. */
export const findMemberOf = (db: Catalog, workspaceId: string, personId: string): Promise<MemberRow | undefined> =>
  selectMembers(db, workspaceId).where('people.id', '=', personId).executeTakeFirst();

function countByMaker(rows: { created_by: string | null }[]): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { created_by: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Whether another person also owns the workspace: it must never be without an owner. */
async function hasOtherOwner(db: Catalog, workspaceId: string, personId: string): Promise<boolean> {
  const other = await selectMembers(db, workspaceId)
    .where('memberships.role', '=', 'owner')
    .where('people.id', '!=', personId)
    .executeTakeFirst();
  return other !== undefined;
}

/** Changes the role of a person. Undefined when they are not a member. */
export function changeRole(
  db: Catalog,
  workspaceId: string,
  personId: string,
  role: Role,
): Promise<MemberRow | 'last owner' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const before = await findMemberOf(transaction, workspaceId, personId);
    if (!before) return undefined;
    if (role === 'member' && !(await hasOtherOwner(transaction, workspaceId, personId))) return 'last owner';
    await transaction
      .updateTable('memberships')
      .set({ role })
      .where('workspace_id', '=', workspaceId)
      .where('person_id', '=', personId)
      .execute();
    // Otherwise a demoted owner becomes owner again by an earlier invitation.
    if (role === 'member') await deleteInvitationsOf(transaction, workspaceId, personId);
    return { ...before, role };
  });
}

/** Revokes the keys and webhooks of a person with their membership. `by`: the owner that does it. */
type Revocation = { secrets: Secrets; by: string };

/**
 * Removes a person from a workspace, ends their sessions in it and withdraws their invitations.
 * @param revocation also revokes the keys that they made and disables their webhooks; null: these stay
 */
export function removeMember(
  db: Catalog,
  workspaceId: string,
  personId: string,
  revocation: Revocation | null,
): Promise<{ api_keys: number; webhooks: number } | 'last owner' | 'no member'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const member = await findMemberOf(transaction, workspaceId, personId);
    if (!member) return 'no member';
    if (member.role === 'owner' && !(await hasOtherOwner(transaction, workspaceId, personId))) return 'last owner';
    for (const table of ['sessions', 'sign_in_links', 'memberships'] as const) {
      await transaction
        .deleteFrom(table as 'sessions')
        .where('workspace_id', '=', workspaceId)
        .where('person_id', '=', personId)
        .execute();
    }
    await deleteInvitationsOf(transaction, workspaceId, personId);
    if (!revocation) return { api_keys: 0, webhooks: 0 };
    const { secrets, by: newMaker } = revocation;
    return {
      api_keys: await revokeKeysOf(transaction, secrets, workspaceId, { personId, newMaker }),
      webhooks: await disableWebhooksOf(transaction, workspaceId, personId),
    };
  });
}
