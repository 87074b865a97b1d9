import type { Role } from '../../contract/accounts.ts';
import type { Catalog } from './schema.ts';
import { inWorkspace } from './transactions.ts';

export type MemberRow = { id: string; name: string; email: string | null; role: Role; joined_at: string };

const selectMembers = (db: Catalog, workspaceId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .where('memberships.workspace_id', '=', workspaceId)
    .select(['people.id', 'people.name', 'people.email', 'memberships.role', 'memberships.created_at as joined_at']);

/** The people of a workspace, by when they joined. */
export const listMembers = (db: Catalog, workspaceId: string): Promise<MemberRow[]> =>
  selectMembers(db, workspaceId).orderBy('memberships.created_at').orderBy('people.id').execute();

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
    const find = () => selectMembers(transaction, workspaceId).where('people.id', '=', personId).executeTakeFirst();
    const before = await find();
    if (!before) return undefined;
    if (role === 'member' && !(await hasOtherOwner(transaction, workspaceId, personId))) return 'last owner';
    await transaction
      .updateTable('memberships')
      .set({ role })
      .where('workspace_id', '=', workspaceId)
      .where('person_id', '=', personId)
      .execute();
    return { ...before, role };
  });
}

/** Removes a person from a workspace and ends their sessions in it. */
export function removeMember(
  db: Catalog,
  workspaceId: string,
  personId: string,
): Promise<'removed' | 'last owner' | 'no member'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const member = await selectMembers(transaction, workspaceId).where('people.id', '=', personId).executeTakeFirst();
    if (!member) return 'no member';
    if (member.role === 'owner' && !(await hasOtherOwner(transaction, workspaceId, personId))) return 'last owner';
    for (const table of ['sessions', 'sign_in_links', 'memberships'] as const) {
      await transaction
        .deleteFrom(table as 'sessions')
        .where('workspace_id', '=', workspaceId)
        .where('person_id', '=', personId)
        .execute();
    }
    return 'removed';
  });
}
