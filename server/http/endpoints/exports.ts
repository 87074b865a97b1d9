import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import type { ExportFormat, MediaExport } from '../../../contract/exports.ts';
import { operations } from '../../../contract/operations.ts';
import { filesPath, signFileUrl } from '../../assets/asset-urls.ts';
import type { StoredResponse } from '../../catalog/accounts/idempotency.ts';
import { inWorkspace } from '../../catalog/transactions.ts';
import type { Export } from '../../delivery/export/exports.ts';
import { planExport } from '../../delivery/export/plan-export.ts';
import { notFoundError } from '../../errors/api-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Dependencies } from '../dependencies.ts';
import { withIdempotencyKey } from '../operations/idempotency.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { abortOnClose } from '../protocol/connections.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { attachmentNamed, checkSignature, sendFile } from '../protocol/responses.ts';

/** What stands in the path of a file in place of an item. */
const exportsFolder = 'exports';

/** An export as the API shows it, with a signed URL. */
function toExport(found: Export, { secrets }: { secrets: Secrets }, baseUrl: string): MediaExport {
  const { id, request, status, progress, error, produced, expiresAt } = found;
  return {
    id,
    format: request.format,
    status,
    progress,
    error,
    filename: request.filename,
    size: produced?.size ?? null,
    lossless: produced?.lossless ?? null,
    start: produced?.span?.start ?? null,
    end: produced?.span?.end ?? null,
    url: signFileUrl(secrets, baseUrl, `${request.workspaceId}/${exportsFolder}/${id}`),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

/** `POST /exports`. */
function serveCreateExport(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, exports, publicUrl } = dependencies;
  serveOperation(
    app,
    operations.createExport,
    ({ workspaceId, body, request, reply }) =>
      withIdempotencyKey(dependencies, operations.createExport, request, async (idempotent) => {
        const baseUrl = getBaseUrl(request, publicUrl);
        const earlier = idempotent.findStoredResponse(body);
        let begun = earlier && (await findBegun(workspaceId, earlier));
        if (begun) void reply.header('Idempotency-Replayed', 'true');
        else {
          if (earlier) await idempotent.forgetStoredResponse();
          const started = await exports.start({ ...(await planExport(db, workspaceId, body)), baseUrl });
          // The stored response names the export only: its state and its signed URL change. Where storing fails, no client learns of the export, so it is given up.
          const response = { status: 201, headers: {}, body: { id: started.id } };
          await inWorkspace(db, workspaceId, (transaction) => idempotent.storeResponse(transaction, response));
          begun = started;
        }
        void reply.header('Location', `${basePath}/exports/${begun.id}`);
        return { data: toExport(begun, dependencies, baseUrl) };
      }),
    // One that repeats a key is answered although all places are taken.
    {
      onRequest: async ({ workspaceId, headers }) => {
        if (headers['idempotency-key'] === undefined) await exports.checkRoom(workspaceId);
      },
    },
  );

  /** The export that an earlier request with the same key began. One that failed, was cancelled or has expired is none to wait for. */
  async function findBegun(workspaceId: string, { body }: StoredResponse): Promise<Export | undefined> {
    const found = await exports.find(workspaceId, (body as { id: string }).id);
    return found?.status === 'error' ? undefined : found;
  }
}

const mimeTypes: Record<ExportFormat, string> = {
  mp4: 'video/mp4',
  gif: 'image/gif',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
  png: 'image/png',
  csv: 'text/csv; charset=utf-8',
  edl: 'text/plain; charset=utf-8',
  fcpxml: 'application/xml',
  zip: 'application/zip',
};

type FileRequest = FastifyRequest<{ Params: { workspaceId: string; exportId: string } }>;

/** `GET /files/:workspaceId/exports/:exportId`: the file of an export, which may have to be made first. */
export function serveExportFile(app: FastifyInstance, { exports, secrets }: Dependencies): void {
  app.get(`${filesPath}/:workspaceId/${exportsFolder}/:exportId`, async (request: FileRequest, reply) => {
    checkSignature(secrets, request);
    const { workspaceId, exportId } = request.params;
    const found = await exports.find(workspaceId, exportId);
    if (!found) throw notFoundError('file any more: export it again');
    const signal = abortOnClose(reply);
    const file = await exports.waitForFile(workspaceId, exportId, signal);
    const { format, filename } = found.request;
    void reply
      .type(filename.endsWith('.m4a') ? 'audio/mp4' : mimeTypes[format])
      .header('Cache-Control', 'private, no-store')
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      .header('Access-Control-Allow-Origin', '*')
      .header('Content-Disposition', attachmentNamed(filename));
    if (file) return sendFile(request, reply, file, (range) => file.read(range));
    return reply.send(
      request.method === 'HEAD' ? Readable.from([]) : await exports.streamArchive(workspaceId, exportId, signal),
    );
  });
}

/** The operations on exports. */
export function serveExports(app: FastifyInstance, dependencies: Dependencies): void {
  const { exports } = dependencies;
  serveCreateExport(app, dependencies);

  serveOperation(app, operations.deleteExport, async ({ workspaceId, params }) => {
    const found = await exports.find(workspaceId, params.id);
    if (!found) throw notFoundError('export');
    await exports.cancel(workspaceId, found.id);
    return { data: { id: found.id, deleted: true as const } };
  });

  serveOperation(app, operations.getExport, async ({ workspaceId, params, request }) => {
    const found = await dependencies.exports.find(workspaceId, params.id);
    if (!found) throw notFoundError('export');
    return { data: toExport(found, dependencies, getBaseUrl(request, dependencies.publicUrl)) };
  });
}
