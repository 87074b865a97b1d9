import { maxWebhooks } from '../../contract/webhooks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Ask } from './ask-for-groups.ts';
import { validRequests } from './valid-requests.ts';

/** Provokes what the operations of webhooks answer, up to their limit. Nothing answers at their address. */
export async function askForWebhooks(ask: Ask, db: Catalog): Promise<void> {
  const body = validRequests.createWebhook ?? {};
  const { id } = await ask('createWebhook', body);
  await ask('createWebhook', { json: { url: 'https://10.0.0.1/', types: ['media.created'] } }, 400);
  await ask('listWebhooks', {});
  await ask('updateWebhook', { id, json: { description: 'Renamed' } });
  await ask('revealWebhookSecret', { id });
  await ask('rotateWebhookSecret', { id });
  await ask('testWebhook', { id });
  await ask('listDeliveries', { id });
  await ask('listDeliveries', { id, query: '?status=lost' }, 400);
  await ask('redeliver', { id, json: {} });
  await ask('redeliver', { id, json: { status: 'delivered' } }, 400);
  await ask('updateWebhook', { id, json: { enabled: false } });
  for (const operation of ['testWebhook', 'redeliver'] as const) await ask(operation, { id, json: {} }, 409);
  await db
    .updateTable('webhooks')
    .set({ sealed: new Uint8Array(60) })
    .execute();
  await ask('revealWebhookSecret', { id }, 409);
  await ask('updateWebhook', { id, json: { enabled: true } }, 409);
  for (let i = 1; i < maxWebhooks; i++) await ask('createWebhook', body);
  await ask('createWebhook', body, 403);
  await ask('deleteWebhook', { id });
  await db.deleteFrom('webhooks').execute();
}
