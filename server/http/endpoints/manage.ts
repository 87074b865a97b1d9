import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { ApiError, notFoundError } from '../../api-error.ts';
import {
  type ApiKeyRow,
  issueApiKey,
  listApiKeys,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../../catalog/api-keys.ts';
import { createInvitation, deleteInvitation, type InvitationRow, listInvitations } from '../../catalog/invitations.ts';
import { createLabel, deleteLabel, type LabelKind, updateLabel } from '../../catalog/labels.ts';
import { changeRole, listMembers, removeMember } from '../../catalog/members.ts';
import { renameWorkspace } from '../../catalog/workspaces.ts';
import { type DashboardRouteDependencies, describeSessionByToken, serveMemberOperation } from '../auth/session-auth.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { alreadyExistsError, toCategory, toCreator } from './creators-and-categories.ts';

/** What members and owners manage in the dashboard: `/manage/…`. */
export function serveManagement(app: FastifyInstance, parts: DashboardRouteDependencies): void {
  const { db } = parts;
  serveMemberOperation(app, db, dashboardOperations.renameWorkspace, async ({ workspaceId, body, member }) => {
    await renameWorkspace(db, workspaceId, body.name);
    return { data: await describeSessionByToken(parts, member.token) };
  });
  serveApiKeys(app, parts);
  serveMembers(app, parts);
  serveLabels(app, parts);
}

function serveApiKeys(app: FastifyInstance, { db, secrets }: DashboardRouteDependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listApiKeys, async ({ workspaceId }) => ({
    data: (await listApiKeys(db, workspaceId)).map(toApiKey),
  }));

  serveMemberOperation(app, db, dashboardOperations.revealApiKey, async ({ workspaceId, params }) => {
    const key = await revealApiKey(db, secrets, workspaceId, params.id);
    if (key === undefined) throw notFoundError('key that works');
    return { data: { id: params.id, key } };
  });

  serveMemberOperation(app, db, dashboardOperations.createApiKey, async ({ workspaceId }) => ({
    data: await issueApiKey(db, secrets, workspaceId),
  }));

  serveMemberOperation(app, db, dashboardOperations.rotateApiKey, async ({ workspaceId, params, body }) => {
    const issued = await rotateApiKey(db, secrets, workspaceId, params.id, body.grace_hours);
    if (!issued) throw notFoundError('key that works');
    return { data: issued };
  });

  serveMemberOperation(app, db, dashboardOperations.revokeApiKey, async ({ workspaceId, params }) => {
    const revoked = await revokeApiKey(db, workspaceId, params.id);
    if (!revoked) throw notFoundError('key');
    return { data: toApiKey(revoked) };
  });
}

const toApiKey = ({ id, ending, created_at, last_used_at, expires_at, revoked_at }: ApiKeyRow) => ({
  id,
  ending: ending ?? '',
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
});

function serveMembers(app: FastifyInstance, { db, publicUrl }: DashboardRouteDependencies): void {
  const lastOwner = () => new ApiError('last_owner', 'The workspace needs an owner: make somebody else one first.');

  serveMemberOperation(app, db, dashboardOperations.listMembers, async ({ workspaceId }) => ({
    data: await listMembers(db, workspaceId),
  }));

  serveMemberOperation(app, db, dashboardOperations.changeRole, async ({ workspaceId, params, body }) => {
    const changed = await changeRole(db, workspaceId, params.id, body.role);
    if (!changed) throw notFoundError('member');
    if (changed === 'last owner') throw lastOwner();
    return { data: changed };
  });

  serveMemberOperation(app, db, dashboardOperations.removeMember, async ({ workspaceId, params, member }) => {
    if (member.workspace.role !== 'owner' && params.id !== member.person.id) {
      throw new ApiError('forbidden', 'Only owners can remove others from the workspace.');
    }
    const outcome = await removeMember(db, workspaceId, params.id);
    if (outcome === 'no member') throw notFoundError('member');
    if (outcome === 'last owner') throw lastOwner();
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, dashboardOperations.listInvitations, async ({ workspaceId }) => ({
    data: (await listInvitations(db, workspaceId)).map(toInvitation),
  }));

  serveMemberOperation(
    app,
    db,
    dashboardOperations.createInvitation,
    async ({ workspaceId, body, member, request }) => {
      const { invitation, token } = await createInvitation(db, workspaceId, member.person.id, body.role);
      const url = `${getBaseUrl(request, publicUrl)}/join?token=${token}`;
      return { data: { ...toInvitation(invitation), url } };
    },
  );

  serveMemberOperation(app, db, dashboardOperations.revokeInvitation, async ({ workspaceId, params }) => {
    if (!(await deleteInvitation(db, workspaceId, params.id))) throw notFoundError('invitation');
    return { data: { id: params.id, deleted: true as const } };
  });
}

const toInvitation = ({ id, role, invited_by, created_at, expires_at }: InvitationRow) => ({
  id,
  role,
  invited_by,
  created_at,
  expires_at,
});

function serveLabels(app: FastifyInstance, { db }: DashboardRouteDependencies): void {
  serveMemberOperation(app, db, dashboardOperations.createCategory, async ({ workspaceId, body }) => {
    const row = await createLabel(db, 'categories', workspaceId, body);
    if (!row) throw alreadyExistsError('category', body.name);
    return { data: toCategory(row) };
  });

  serveMemberOperation(app, db, dashboardOperations.updateCategory, async ({ workspaceId, params, body }) => ({
    data: toCategory(await update('categories', workspaceId, params.id, body)),
  }));

  serveMemberOperation(app, db, dashboardOperations.deleteCategory, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'categories', workspaceId, params.id))) throw notFoundError('category');
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, dashboardOperations.renameCreator, async ({ workspaceId, params, body }) => ({
    data: toCreator(await update('creators', workspaceId, params.id, body)),
  }));

  serveMemberOperation(app, db, dashboardOperations.deleteCreator, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'creators', workspaceId, params.id))) throw notFoundError('creator');
    return { data: { id: params.id, deleted: true as const } };
  });

  async function update(
    kind: LabelKind,
    workspaceId: string,
    id: string,
    changes: { name?: string | undefined; description?: string | undefined },
  ) {
    const what = kind === 'creators' ? 'creator' : 'category';
    const row = await updateLabel(db, kind, workspaceId, id, changes);
    if (!row) throw notFoundError(what);
    if (row === 'taken') throw alreadyExistsError(what, changes.name ?? '');
    return row;
  }
}
