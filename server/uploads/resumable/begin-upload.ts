import type { UploadMetadata } from '../../../contract/uploads.ts';
import { quotaExceededError } from '../../catalog/accounts/quota.ts';
import { hasRoomForTags } from '../../catalog/labels/item-groups.ts';
import { createUpload, type UploadRow } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { countLimitError } from '../../errors/api-error.ts';
import { toBaseName } from '../file-name.ts';
import { checkLabels } from '../store-media.ts';
import { tooLargeError } from '../upload-limit.ts';

type UploadRequest = {
  /** The length of the whole file, bytes. */
  length: number;
  /** As the client sent it. */
  header: string;
  metadata: UploadMetadata;
  /** The person signed in where it is begun. */
  createdBy: string | null;
};

/**
 * Begins an upload, of which everything is checked that can be known before its bytes.
 * @param storeWithUpload what has to be stored in the same transaction
 * Throws `payload_too_large`, `quota_exceeded` and `validation_error`.
 */
export async function beginUpload(
  { db, maxUploadBytes }: { db: Catalog; maxUploadBytes: number },
  workspaceId: string,
  { length, header, metadata: { filename = '', sha256, ...labels }, createdBy }: UploadRequest,
  storeWithUpload: (transaction: Catalog, row: UploadRow) => Promise<void>,
): Promise<UploadRow> {
  if (length > maxUploadBytes) throw tooLargeError(maxUploadBytes);
  await checkLabels(db, workspaceId, labels, 'header.Upload-Metadata');
  if (labels.tags?.length && !(await hasRoomForTags(db, workspaceId, labels.tags))) throw countLimitError('tags');
  const upload = {
    workspace_id: workspaceId,
    filename: toBaseName(filename),
    length,
    metadata: header,
    labels: JSON.stringify(labels),
    sha256: sha256 ?? null,
    created_by: createdBy,
  };
  const created = await createUpload(db, upload, storeWithUpload);
  if (created === 'too many') throw countLimitError('open_uploads');
  if ('violation' in created) throw quotaExceededError(created.violation);
  return created.row;
}
