import type { StillSource } from '@media-search/media/write-still';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { playback } from '../../../assets/asset-store.ts';
import { findMedia, type MediaRow } from '../../../catalog/media/media-items.ts';
import { ApiError, notFoundError, validationError } from '../../../errors/api-error.ts';
import { CrashError } from '../../../search/query-workers/task-errors.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { createEtag, matchesEtag } from '../../protocol/etag.ts';

/** `GET /media/:id/frame`. */
export function serveGetFrame(app: FastifyInstance, { db, assets, queryPool }: Dependencies): void {
  serveOperation(
    app,
    operations.getFrame,
    async ({ workspaceId, params, query: { at, width }, request, reply, signal }) => {
      const media = await findMedia(db, workspaceId, params.id);
      if (!media) throw notFoundError('media item');
      checkMoment(media, at);
      const time = media.type === 'video' ? at : 0;
      // Renditions can be made again, by a later version that makes them differently.
      const tag = createEtag([media.id, media.renditions_token, time, width].join(' '));
      void reply.type('image/jpeg').header('ETag', tag).header('Cache-Control', 'private, no-cache');
      if (matchesEtag(request.headers['if-none-match'], tag)) return { status: 304, data: Buffer.alloc(0) };
      const read = async (file: string) => {
        const task = { kind: 'frame', source: sourceIn(file, media), at: time, width } as const;
        return Buffer.from(await queryPool.run(workspaceId, task, signal), 'base64');
      };
      return {
        data: await assets.withLocalCopy(playback(media), read, { signal }).catch((error: unknown) => {
          throw toFailure(error);
        }),
      };
    },
    { kind: 'heavy' },
  );
}

/** Throws `not_ready`, and `validation_error` for a moment after the end. */
function checkMoment({ type, status, duration }: MediaRow, at: number): void {
  if (status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${status}\`; only a complete one has frames to show.`);
  }
  if (type === 'video' && at > (duration ?? 0)) {
    throw validationError([{ path: 'query.at', message: `must be at most ${duration}, where the video ends` }]);
  }
}

/** The file that a browser plays or shows: it seeks well. */
const sourceIn = (file: string, { type, rendition_file, mime_type }: MediaRow): StillSource => ({
  file,
  type,
  mimeType: rendition_file && type === 'image' ? 'image/webp' : mime_type,
});

/** Errors of a worker come as plain errors with the name of theirs. */
function toFailure(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnreadableMediaError') {
    return new ApiError('unreadable_media', error.message);
  }
  if (error instanceof CrashError) {
    return new ApiError('unreadable_media', 'This frame cannot be decoded: the decoder crashed.');
  }
  return error;
}
