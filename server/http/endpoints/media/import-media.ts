import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { downloadMedia, maxDownloadMinutes } from '../../../uploads/download-media.ts';
import { checkLabels } from '../../../uploads/store-media.ts';
import { findUploadLimit } from '../../../uploads/upload-limit.ts';
import type { Dependencies } from '../../dependencies.ts';
import { replay, withIdempotencyKey } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { allowSilence } from '../../protocol/connections.ts';
import { storeUpload, type UploadResponse } from './store-upload.ts';

const operation = operations.importMedia;

/** `POST /media/import`: downloads a file to disk while it is hashed; answers when file and row are durable. */
export function serveImportMedia(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, outbound, scratch } = dependencies;
  serveOperation(
    app,
    operation,
    ({ workspaceId, body, request, reply, signal }) =>
      withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
        const earlier = idempotent.findStoredResponse(body);
        if (earlier) return replay<UploadResponse>(reply, earlier);
        const { url, filename, ...labels } = body;
        const findLimit = (declared: number) => findUploadLimit(dependencies, workspaceId, declared);
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
