import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import {
  issueApiKey,
  listApiKeys,
  type ListedKey,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../../catalog/accounts/api-keys.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';

/** A key as the dashboard shows it: without its secret. */
const toApiKey = ({ id, name, ending, person, created_at, last_used_at, expires_at, revoked_at }: ListedKey) => ({
  id,
  name,
  last_four: ending ?? '',
  created_by: person,
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
});

/** The operations on API keys. */
export function serveApiKeys(
  app: FastifyInstance,
  { db, pubsub, secrets }: Pick<Dependencies, 'db' | 'pubsub' | 'secrets'>,
): void {
  serveMemberOperation(app, db, dashboardOperations.createApiKey, async ({ workspaceId, body, member }) => ({
    data: await issueApiKey(db, secrets, workspaceId, body.name ?? null, member.person.id),
  }));

  serveMemberOperation(app, db, dashboardOperations.listApiKeys, async ({ workspaceId }) => ({
    data: (await listApiKeys(db, workspaceId)).map(toApiKey),
  }));

  serveMemberOperation(app, db, dashboardOperations.revealApiKey, async ({ workspaceId, params }) => {
    const key = await revealApiKey(db, secrets, workspaceId, params.id);
    if (key === undefined) throw notFoundError('active API key');
    return { data: { id: params.id, key } };
  });

  serveMemberOperation(app, db, dashboardOperations.revokeApiKey, async ({ workspaceId, params }) => {
    const revoked = await revokeApiKey(db, workspaceId, params.id);
    if (!revoked) throw notFoundError('API key');
    // What it has open ends, at every process.
    await pubsub.publish(db, 'workspace', workspaceId);
    return { data: toApiKey(revoked) };
  });

  serveMemberOperation(app, db, dashboardOperations.rotateApiKey, async ({ workspaceId, params, body, member }) => {
    const issued = await rotateApiKey(db, secrets, workspaceId, params.id, body.grace_hours, member.person.id);
    if (!issued) throw notFoundError('active API key');
    // What it has open ends, at every process.
    await pubsub.publish(db, 'workspace', workspaceId);
    return { data: issued };
  });
}
