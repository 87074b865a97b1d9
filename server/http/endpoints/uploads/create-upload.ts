import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { uploadFields } from '../../../../contract/media.ts';
import { operations } from '../../../../contract/operations.ts';
import { type Upload, uploadMetadata } from '../../../../contract/uploads.ts';
import type { StoredResponse } from '../../../catalog/accounts/idempotency.ts';
import { findUpload, type UploadRow } from '../../../catalog/media/uploads.ts';
import { validationError } from '../../../errors/api-error.ts';
import { beginUpload } from '../../../uploads/resumable/begin-upload.ts';
import { findPersonSignedIn } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { findMisspelled } from '../../operations/find-misnamed.ts';
import { withIdempotencyKey } from '../../operations/idempotency.ts';
import { serveOperation, validate } from '../../operations/serve-operation.ts';
import { requireTusVersion } from '../../protocol/tus.ts';
import { parseMetadata } from './parse-metadata.ts';
import { describeUpload, sendUploadHeaders, toUpload } from './upload.ts';

const operation = operations.createUpload;
const metadataPath = 'header.Upload-Metadata';

/** `POST /uploads`. */
export function serveCreateUpload(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(
    app,
    operation,
    ({ workspaceId, headers, request, reply }) =>
      withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
        const header = headers['Upload-Metadata'] ?? '';
        const length = headers['Upload-Length'];
        const earlier = idempotent.findStoredResponse([length, header]);
        const begun = earlier && (await findBegun(workspaceId, earlier));
        if (begun) void reply.header('Idempotency-Replayed', 'true');
        else if (earlier) await idempotent.forgetStoredResponse();
        const metadata = parseMetadata(header);
        // Clients send keys of their own, such as `filetype`; one that is nearly a label would lose it.
        const misspelled = findMisspelled(Object.keys(metadata), Object.keys(uploadFields.shape), metadataPath);
        if (misspelled.length > 0) throw validationError(misspelled);
        const upload = {
          length,
          header,
          metadata: validate(uploadMetadata, metadata, metadataPath),
          createdBy: await findPersonSignedIn(db, request, workspaceId),
        };
        const row =
          begun ??
          (await beginUpload(dependencies, workspaceId, upload, (transaction, made) =>
            idempotent.storeResponse(transaction, { status: 201, headers: {}, body: toUpload(made) }),
          ));
        sendUploadHeaders(reply, row);
        void reply.header('Location', `${basePath}/uploads/${row.id}`);
        // Of the protocol only an answer to bytes has it.
        void reply.removeHeader('Upload-Offset');
        return { data: await describeUpload(dependencies, request, row) };
      }),
    { onRequest: requireTusVersion },
  );

  /** The upload that an earlier request with the same key began. One that was discarded, refused or forgotten meanwhile is none to go on with. */
  async function findBegun(workspaceId: string, { body }: StoredResponse): Promise<UploadRow | undefined> {
    const row = await findUpload(db, workspaceId, (body as Upload).id);
    return row?.error === null ? row : undefined;
  }
}
