import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import type { TextBox } from '../../../../contract/texts.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import { listSegments } from '../../../catalog/texts/text-segments.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `GET /media/:id/texts`. */
export function serveListTexts(app: FastifyInstance, { db, secrets }: Dependencies): void {
  serveOperation(app, operations.listTexts, async ({ workspaceId, params, query }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    const { rows, total } = await listSegments(db, workspaceId, media.id, query);
    const data = rows.map(({ number, source, language, start_time, end_time, text, box, confidence }) => ({
      // The number would tell how many texts other workspaces have.
      id: secrets.sign(`text segment ${number}`),
      source,
      language,
      start: start_time,
      end: end_time,
      text,
      box: box === null ? null : (JSON.parse(box) as TextBox),
      confidence,
    }));
    return { data, meta: toPageMeta(query, total) };
  });
}
