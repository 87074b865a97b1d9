import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { uploadFields } from '../../../../contract/media.ts';
import { operations } from '../../../../contract/operations.ts';
import type { StoredResponse } from '../../../catalog/idempotency.ts';
import type { Catalog } from '../../../catalog/schema.ts';
import { type StoredMedia, storeMedia } from '../../../uploads/store-media.ts';
import { findUploadLimit } from '../../../uploads/upload-limit.ts';
import type { Dependencies } from '../../dependencies.ts';
import { replay, withIdempotencyKey } from '../../operations/idempotency.ts';
import { type OperationResult, serveOperation, validate } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { receiveForm } from '../../request-bodies/receive-form.ts';
import { toMediaItem } from './media-item.ts';

const operation = operations.uploadMedia;

type UploadResponse = OperationResult<typeof operation>;

/** Bytes of a form besides its file. */
const maxFormOverheadBytes = 64 * 1024;

/** `POST /media/upload`: streams the file to disk while it is hashed; answers when file and row are durable. */
export function serveUploadMedia(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, scratch, onStored } = dependencies;
  serveOperation(
    app,
    operation,
    ({ workspaceId, request, reply, signal }) =>
      withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
        const limit = await findUploadLimit(dependencies, workspaceId, declaredFileBytes(request));
        return scratch.withFolder(async (folder) => {
          const { file, fields } = await receiveForm(request, folder, limit, signal);
          const labels = validate(uploadFields, fields, 'body');
          const earlier = idempotent.findStoredResponse([file.sha256, file.filename, labels]);
          if (earlier) return replay<UploadResponse>(reply, earlier);
          const toResponse = createResponseMapper(dependencies, request);
          const stored = await storeMedia(dependencies, workspaceId, file, labels, async (transaction, outcome) =>
            idempotent.storeResponse(transaction, toStoredResponse(await toResponse(transaction, outcome))),
          );
          if (!stored.duplicate) onStored();
          const response = await toResponse(db, stored);
          void reply.headers(headersOf(response));
          return response;
        });
      }),
    // A large file over a slow connection takes long; an idle connection is closed by its timeout.
    { kind: 'upload', timeoutSeconds: null },
  );
}

/** Least size of the file in a form, by the length that the request declares; 0 when it declares none. */
const declaredFileBytes = ({ headers }: FastifyRequest): number =>
  Math.max(0, Number(headers['content-length'] ?? 0) - maxFormOverheadBytes);

function createResponseMapper({ secrets, recognised, publicUrl }: Dependencies, request: FastifyRequest) {
  const baseUrl = getBaseUrl(request, publicUrl);
  return async (db: Catalog, { row, duplicate }: StoredMedia): Promise<UploadResponse> => {
    const data = await toMediaItem({ db, secrets, recognised }, row, baseUrl);
    return duplicate ? { status: 200, data, meta: { duplicate: true } } : { status: 202, data };
  };
}

const headersOf = ({ status, data }: UploadResponse): Record<string, string> =>
  status === 202 ? { Location: `${basePath}/media/${data.id}` } : {};

const toStoredResponse = (response: UploadResponse): StoredResponse => ({
  status: response.status ?? 202,
  headers: headersOf(response),
  body: { data: response.data, ...(response.meta ? { meta: response.meta } : {}) },
});
