import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { ApiError, notFoundError, validationError } from '../../../api-error.ts';
import { findMedia, type MediaRow } from '../../../catalog/media-items.ts';
import { createShare, deleteShare, findListedShare, maxShares } from '../../../catalog/shares.ts';
import { findPersonSignedIn } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type OperationInput, serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toShare } from './share.ts';

const operation = operations.createShare;

/** Longer than the longest clip takes to be cut, seconds. */
const timeoutSeconds = 360;

/** `POST /shares`: answers when what the link gives is there. */
export function serveCreateShare(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, secrets, publicUrl, shareFiles } = dependencies;
  serveOperation(
    app,
    operation,
    async ({ workspaceId, body, request, reply }) => {
      const media = await findMedia(db, workspaceId, body.media_id);
      if (!media) throw notFoundError('media item');
      const share = await createShare(db, secrets, {
        workspace_id: workspaceId,
        media_id: media.id,
        ...toMoment(media, body),
        title: body.title ?? null,
        created_by: await findPersonSignedIn(db, request, workspaceId),
        expires_at: new Date(Date.now() + body.expires_in_hours * 3_600_000).toISOString(),
      });
      if (!share) {
        throw validationError([
          { path: 'body', message: `would be one link too many: a workspace has at most ${maxShares}; revoke some` },
        ]);
      }
      await shareFiles.open(share, media).catch(async (error: unknown) => {
        await deleteShare(db, workspaceId, share.id);
        throw error;
      });
      const listed = await findListedShare(db, workspaceId, share.id);
      if (!listed) throw notFoundError('media item');
      const data = toShare(listed, secrets, getBaseUrl(request, publicUrl));
      void reply.header('Location', data.url);
      return { data };
    },
    { kind: 'heavy', timeoutSeconds },
  );
}

/** The span that is shared. Throws `not_ready`, and `validation_error` for one that the item does not have. */
function toMoment({ status, type, duration }: MediaRow, { start, end }: OperationInput<typeof operation>['body']) {
  if (status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${status}\`; only a complete one can be shared.`);
  }
  if (start === undefined || end === undefined) return { start_time: null, end_time: null };
  if (type === 'image') throw validationError([{ path: 'body.start', message: 'must be left out for an image' }]);
  if (start >= (duration ?? 0)) {
    throw validationError([{ path: 'body.start', message: `must be before ${duration}, where the video ends` }]);
  }
  return { start_time: start, end_time: Math.min(end, duration ?? end) };
}
