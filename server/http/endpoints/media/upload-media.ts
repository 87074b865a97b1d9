import type { FastifyInstance, FastifyRequest } from 'fastify';
import { uploadFields } from '../../../../contract/media.ts';
import { operations } from '../../../../contract/operations.ts';
import { findUploadLimit } from '../../../uploads/upload-limit.ts';
import type { Dependencies } from '../../dependencies.ts';
import { replay, withIdempotencyKey } from '../../operations/idempotency.ts';
import { serveOperation, validate } from '../../operations/serve-operation.ts';
import { receiveForm } from '../../request-bodies/receive-form.ts';
import { storeUpload, type UploadResponse } from './store-upload.ts';

const operation = operations.uploadMedia;

/** Bytes of a form besides its file. */
const maxFormOverheadBytes = 64 * 1024;

/** `POST /media/upload`: streams the file to disk while it is hashed; answers when file and row are durable. */
export function serveUploadMedia(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(
    app,
    operation,
    ({ workspaceId, request, reply, signal }) =>
      withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
        const limit = await findUploadLimit(dependencies, workspaceId, declaredFileBytes(request));
        return dependencies.scratch.withFolder(async (folder) => {
          const { file, fields } = await receiveForm(request, folder, limit, signal);
          const labels = validate(uploadFields, fields, 'body');
          const earlier = idempotent.findStoredResponse([file.sha256, file.filename, labels]);
          if (earlier) return replay<UploadResponse>(reply, earlier);
          return storeUpload(dependencies, { request, reply, idempotent }, file, labels);
        });
      }),
    // A large file over a slow connection takes long; an idle connection is closed by its timeout.
    { kind: 'upload', timeoutSeconds: null },
  );
}

/** Least size of the file in a form, by the length that the request declares; 0 when it declares none. */
const declaredFileBytes = ({ headers }: FastifyRequest): number =>
  Math.max(0, Number(headers['content-length'] ?? 0) - maxFormOverheadBytes);
