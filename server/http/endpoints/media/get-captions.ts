import path from 'node:path';
import { Readable } from 'node:stream';
import { srt } from '@media-search/media/captions/write-srt';
import { vtt } from '@media-search/media/captions/write-vtt';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import { findCaptionTrack, writeCaptions } from '../../../delivery/captions/captions.ts';
import { toSafeName } from '../../../delivery/export/file-names.ts';
import { ApiError, notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { runInTurn } from '../../limits/concurrency-limit.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { attachmentNamed } from '../../protocol/content-disposition.ts';

const formats = { vtt, srt };

/** `GET /media/:id/captions`. */
export function serveGetCaptions(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(
    app,
    operations.getCaptions,
    async ({ workspaceId, params, query, request, reply }) => {
      const media = await findMedia(db, workspaceId, params.id);
      if (!media) throw notFoundError('media item');
      const track = await findCaptionTrack(db, media, query);
      if (!track) {
        throw new ApiError(
          'not_found',
          'This item has no such captions. `GET /media/{id}/captions/tracks` lists what it has.',
        );
      }
      const format = formats[query.format];
      const language = track.language === null ? '' : `.${track.language}`;
      const name = `${path.parse(media.filename).name}${language}.${query.format}`;
      void reply
        .type(format.mimeType)
        .header('Cache-Control', 'private, no-store')
        .header('Content-Disposition', attachmentNamed(toSafeName(name)));
      const pieces = writeCaptions(db, media, track, format, media.filename, (work) => runInTurn(request, work));
      return { data: Readable.from(pieces) };
    },
    // Fastify would cut off what is still being sent then: pieces wait for their turns, and for the client.
    { timeoutSeconds: null },
  );
}
