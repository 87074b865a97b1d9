import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import type { UploadFields } from '../../../../contract/media.ts';
import type { operations } from '../../../../contract/operations.ts';
import { isActiveKey } from '../../../catalog/accounts/api-keys.ts';
import type { StoredResponse } from '../../../catalog/accounts/idempotency.ts';
import type { Catalog } from '../../../catalog/schema.ts';
import { type StoredMedia, storeMedia, type UploadedFile } from '../../../uploads/store-media.ts';
import { revokedKeyError } from '../../auth/api-key-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { IdempotentRequest } from '../../operations/idempotency.ts';
import type { OperationResult } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItem } from './media-item.ts';
import { findMissingLabels } from './missing-labels.ts';

/** The response to an upload or an import. */
export type UploadResponse = OperationResult<typeof operations.uploadMedia>;

/**
 * Stores a received file as an item, with the response to its request, and returns that response. Receiving it may have taken long, so the key is
 * asked for again: who has revoked it expects nothing more from it. Throws `invalid_api_key`.
 */
export async function storeUpload(
  dependencies: Dependencies,
  { request, reply, idempotent }: { request: FastifyRequest; reply: FastifyReply; idempotent: IdempotentRequest },
  file: UploadedFile,
  labels: UploadFields,
): Promise<UploadResponse> {
  const { db, onStored } = dependencies;
  if (!(await isActiveKey(db, request.workspaceId, request.apiKeyId))) throw revokedKeyError();
  const toResponse = createResponseMapper(dependencies, request, labels);
  const stored = await storeMedia(dependencies, request.workspaceId, file, labels, async (transaction, outcome) =>
    idempotent.storeResponse(transaction, toStoredResponse(await toResponse(transaction, outcome))),
  );
  if (!stored.duplicate) onStored();
  const response = await toResponse(db, stored);
  void reply.headers(headersOf(response));
  return response;
}

function createResponseMapper(
  { secrets, recognised, publicUrl }: Dependencies,
  request: FastifyRequest,
  labels: UploadFields,
) {
  const baseUrl = getBaseUrl(request, publicUrl);
  return async (db: Catalog, { row, duplicate }: StoredMedia): Promise<UploadResponse> => {
    const data = await toMediaItem({ db, secrets, recognised }, row, baseUrl);
    if (!duplicate) return { status: 202, data };
    const missing = await findMissingLabels(db, request.workspaceId, data, labels);
    return {
      status: 200,
      data,
      meta: { duplicate: true, ...(missing.length > 0 ? { not_applied: missing } : {}) },
    };
  };
}

const headersOf = ({ status, data }: UploadResponse): Record<string, string> =>
  status === 202 ? { Location: `${basePath}/media/${data.id}` } : {};

const toStoredResponse = (response: UploadResponse): StoredResponse => ({
  status: response.status ?? 202,
  headers: headersOf(response),
  body: { data: response.data, ...(response.meta ? { meta: response.meta } : {}) },
});
