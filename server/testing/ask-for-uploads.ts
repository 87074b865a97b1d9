import { assignPlan, savePlan } from '../catalog/accounts/plans.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Ask } from './ask-for-groups.ts';
import type { RequestOptions } from './valid-requests.ts';

const version = { 'Tus-Resumable': '1.0.0' };
const ofLength = (bytes: number) => ({ headers: { ...version, 'Upload-Length': String(bytes) } });

/** A request that begins an upload, with an `Idempotency-Key`. */
export const beginUploadAs = (key: string): RequestOptions => ({
  headers: { ...ofLength(8).headers, 'Idempotency-Key': key },
});

/** Requests to resumable uploads, with every answer that is theirs alone. The workspace has the plan `self-hosted` afterwards. */
export async function askForUploads(good: Ask, db: Catalog, workspaceId: string): Promise<void> {
  const part = (id: string, offset: number, more: Record<string, string> = {}): RequestOptions => ({
    id,
    bytes: new Uint8Array(4),
    headers: {
      ...version,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
      ...more,
    },
  });
  await good('createUpload', { headers: { 'Upload-Length': '8' } }, 412);
  await good('createUpload', ofLength(0), 400);
  await good('createUpload', ofLength(2 ** 40), 413);
  const { id } = await good('createUpload', ofLength(8));
  await good('getUpload', { id });
  await good('listUploads', {});
  await good('listUploads', { query: '?page=0' }, 400);
  await good('sendPart', part(id, 0, { 'Tus-Resumable': '0.2.0' }), 412);
  await good('sendPart', part(id, 4), 409);
  await good('sendPart', part(id, 0, { 'Upload-Checksum': 'sha256 AAAA' }), 460);
  await good('sendPart', part(id, 0));
  await good('sendPart', { ...part(id, 4), bytes: new Uint8Array(5) }, 413);

  await savePlan(db, 'full', { media_items: 0 });
  await assignPlan(db, workspaceId, 'full');
  await good('createUpload', ofLength(8), 403);
  const photo = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  await assignPlan(db, workspaceId, 'self-hosted');
  const refused = await good('createUpload', ofLength(photo.length));
  await assignPlan(db, workspaceId, 'full');
  await good('sendPart', { ...part(refused.id, 0), bytes: photo }, 403);
  await assignPlan(db, workspaceId, 'self-hosted');
  await good('deleteUpload', { id });
  await good('deleteUpload', { id }, 410);
  await good('sendPart', part(id, 4), 410);
}
