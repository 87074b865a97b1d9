import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { uploadMetadata } from '../../../../contract/uploads.ts';
import { beginUpload } from '../../../uploads/resumable/begin-upload.ts';
import { findPersonSignedIn } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation, validate } from '../../operations/serve-operation.ts';
import { requireTusVersion } from '../../protocol/tus.ts';
import { parseMetadata } from './parse-metadata.ts';
import { sendUploadHeaders, toUpload } from './upload.ts';

/** `POST /uploads`. */
export function serveCreateUpload(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(
    app,
    operations.createUpload,
    async ({ workspaceId, headers, request, reply }) => {
      const header = headers['Upload-Metadata'] ?? '';
      const row = await beginUpload(dependencies, workspaceId, {
        length: headers['Upload-Length'],
        header,
        metadata: validate(uploadMetadata, parseMetadata(header), 'header.Upload-Metadata'),
        createdBy: await findPersonSignedIn(dependencies.db, request, workspaceId),
      });
      sendUploadHeaders(reply, row);
      void reply.header('Location', `${basePath}/uploads/${row.id}`);
      // Of the protocol only an answer to bytes has it.
      void reply.removeHeader('Upload-Offset');
      return { data: toUpload(row) };
    },
    { onRequest: requireTusVersion },
  );
}
