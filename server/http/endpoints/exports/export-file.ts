import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ExportFormat } from '../../../../contract/exports.ts';
import { filesPath } from '../../../assets/asset-urls.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { abortOnClose } from '../../protocol/connections.ts';
import { attachmentNamed } from '../../protocol/content-disposition.ts';
import { sendFile } from '../../protocol/send-asset.ts';
import { checkSignature } from '../../protocol/signed-urls.ts';
import { exportsFolder } from './export.ts';

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
      .type(mimeTypes[format])
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
