import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { type MediaItem, uploadFields, type UploadFields } from '../../../contract/media.ts';
import { operations } from '../../../contract/operations.ts';
import { isActiveKey } from '../../catalog/accounts/api-keys.ts';
import type { StoredResponse } from '../../catalog/accounts/idempotency.ts';
import { readNamesOfItems } from '../../catalog/labels/names-of-items.ts';
import { normaliseName } from '../../catalog/labels/normalise-name.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { downloadMedia, maxDownloadMinutes } from '../../uploads/download-media.ts';
import { checkLabels, type StoredMedia, storeMedia, type UploadedFile } from '../../uploads/store-media.ts';
import { findUploadLimit } from '../../uploads/upload-limit.ts';
import { revokedKeyError } from '../auth/api-key-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { type IdempotentRequest, replay, withIdempotencyKey } from '../operations/idempotency.ts';
import { type OperationResult, serveOperation, validate } from '../operations/serve-operation.ts';
import { allowSilence } from '../protocol/connections.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { receiveForm } from '../request-bodies/receive-form.ts';
import { toMediaItem } from './media-item.ts';

/** Which of the labels that were sent with its bytes an item does not have. */
export async function findMissingLabels(
  db: Catalog,
  workspaceId: string,
  item: MediaItem,
  { creator_id, category_id, collection_id, tags = [] }: UploadFields,
): Promise<(keyof UploadFields)[]> {
  const names = tags.length === 0 ? [] : (await readNamesOfItems(db, workspaceId, [item.id])).get(item.id);
  const own = new Set(names?.flatMap(({ source, text }) => (source === 'tag' ? [normaliseName(text)] : [])));
  const has: Record<keyof UploadFields, boolean> = {
    creator_id: creator_id === undefined || item.creator_id === creator_id,
    category_id: category_id === undefined || item.category_id === category_id,
    collection_id: collection_id === undefined || item.collection_ids.includes(collection_id),
    tags: tags.every((name) => own.has(normaliseName(name))),
  };
  return (Object.keys(has) as (keyof UploadFields)[]).filter((name) => !has[name]);
}

/** The response to an upload or an import. */
type UploadResponse = OperationResult<typeof operations.uploadMedia>;

/**
 * Stores a received file as an item, with the response to its request, and returns that response. Receiving it may have taken long, so the key is
 * checked again: a revoked key stores nothing. Throws `invalid_api_key`.
 */
async function storeUpload(
  dependencies: Dependencies,
  { request, reply, idempotent }: { request: FastifyRequest; reply: FastifyReply; idempotent: IdempotentRequest },
  file: UploadedFile,
  labels: UploadFields,
): Promise<UploadResponse> {
  const { db, onStored } = dependencies;
  if (!(await isActiveKey(db, request.workspaceId, request.apiKeyId))) throw revokedKeyError();
  const toResponse = createResponseMapper(dependencies, request, labels);
  let response!: UploadResponse;
  const stored = await storeMedia(dependencies, request.workspaceId, file, labels, async (transaction, outcome) => {
    response = await toResponse(transaction, outcome);
    await idempotent.storeResponse(transaction, toStoredResponse(response));
  });
  if (!stored.duplicate) onStored();
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

/** `POST /media/import`: downloads a file to disk while it is hashed; answers when file and row are durable. */
function serveImportMedia(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, outbound, scratch } = dependencies;
  serveOperation(
    app,
    operations.importMedia,
    ({ workspaceId, body, request, reply, signal }) =>
      withIdempotencyKey(dependencies, operations.importMedia, request, async (idempotent) => {
        const earlier = idempotent.findStoredResponse(body);
        if (earlier) return replay<UploadResponse>(reply, earlier);
        const { url, filename, ...labels } = body;
        const findLimit = (declared: number) => findUploadLimit(dependencies, workspaceId, declared);
        // What will be refused is not downloaded.
        await findLimit(0);
        await checkLabels(db, workspaceId, labels);
        allowSilence(request);
        return scratch.withFolder(async (folder) => {
          const file = await downloadMedia({ url, folder, findLimit, access: outbound, signal });
          const named = filename === undefined ? file : { ...file, filename };
          return storeUpload(dependencies, { request, reply, idempotent }, named, labels);
        });
      }),
    // A minute more to store the file.
    { kind: 'import', timeoutSeconds: (maxDownloadMinutes + 1) * 60 },
  );
}

/** Bytes of a form besides its file. */
const maxFormOverheadBytes = 64 * 1024;

/** Least size of the file in a form, by the length that the request declares; 0 when it declares none. */
const declaredFileBytes = ({ headers }: FastifyRequest): number =>
  Math.max(0, Number(headers['content-length'] ?? 0) - maxFormOverheadBytes);

/** The operations that add an item from a form or an address. */
export function serveMediaUploads(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, scratch } = dependencies;
  serveImportMedia(app, dependencies);

  serveOperation(
    app,
    operations.uploadMedia,
    ({ workspaceId, request, reply, signal }) =>
      withIdempotencyKey(dependencies, operations.uploadMedia, request, async (idempotent) => {
        const limit = await findUploadLimit(dependencies, workspaceId, declaredFileBytes(request));
        return scratch.withFolder(async (folder) => {
          const { file, fields } = await receiveForm(request, folder, limit, signal);
          const labels = validate(uploadFields, fields, 'body');
          const earlier = idempotent.findStoredResponse([file.sha256, file.filename, labels]);
          if (earlier) return replay<UploadResponse>(reply, earlier);
          await checkLabels(db, workspaceId, labels);
          return storeUpload(dependencies, { request, reply, idempotent }, file, labels);
        });
      }),
    // A large file over a slow connection takes long; an idle connection is closed by its timeout.
    { kind: 'upload', timeoutSeconds: null },
  );
}
