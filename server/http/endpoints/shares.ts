import { smallPoster } from '@media-search/media/picture-sizes';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { operations } from '../../../contract/operations.ts';
import type { shareOperations } from '../../../contract/shares.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import type { StoredResponse } from '../../catalog/accounts/idempotency.ts';
import { findMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import {
  createShare,
  deleteShare,
  findListedShare,
  type ListedShare,
  listShares,
  maxShares,
  type ShareRow,
} from '../../catalog/shares/shares.ts';
import { inWorkspace } from '../../catalog/transactions.ts';
import { revokeShare } from '../../delivery/shares/share-downloads.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import { findPersonSignedIn } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { type IdempotentRequest, withIdempotencyKey } from '../operations/idempotency.ts';
import { type OperationInput, serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { shareUrl } from './shared-page.ts';

type Share = z.output<typeof shareOperations.createShare.data>;

/** A public link as the API shows it, with its token. */
function toShare(row: ListedShare, secrets: Secrets, baseUrl: string): Share {
  const owner = { workspace_id: row.workspace_id, id: row.media_id };
  return {
    id: row.id,
    url: shareUrl(baseUrl, secrets.unseal(row.sealed)),
    media_id: row.media_id,
    filename: row.filename,
    type: row.type,
    start: row.start_time,
    end: row.end_time,
    title: row.title,
    thumbnail: row.poster_file === null ? null : signAssetUrl(secrets, baseUrl, owner, smallPoster(row.poster_file)),
    created_by: row.person,
    created_at: row.created_at,
    expires_at: row.expires_at,
    views: row.views,
  };
}

/** Longer than the longest clip takes to be cut, seconds. */
const timeoutSeconds = 360;

/** `POST /shares`: answers when what the link gives is there. */
function serveCreateShare(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, secrets, publicUrl, shareFiles } = dependencies;
  serveOperation(
    app,
    operations.createShare,
    (input) =>
      withIdempotencyKey(dependencies, operations.createShare, input.request, async (idempotent) => {
        const { workspaceId, body, request, reply } = input;
        const earlier = idempotent.findStoredResponse(body);
        const media = await findMedia(db, workspaceId, body.media_id);
        if (!media) throw notFoundError('media item');
        const share = earlier
          ? await findEarlierShare(db, workspaceId, earlier)
          : await storeShare(dependencies, input, media, idempotent);
        // An earlier request with the same key may have ended before the file was made.
        await shareFiles.open(share, media).catch(async (error: unknown) => {
          await deleteShare(db, workspaceId, share.id);
          await idempotent.forgetStoredResponse();
          throw error;
        });
        const listed = await findListedShare(db, workspaceId, share.id);
        if (!listed) throw notFoundError('media item');
        const data = toShare(listed, secrets, getBaseUrl(request, publicUrl));
        void reply.header('Location', data.url);
        if (earlier) void reply.header('Idempotency-Replayed', 'true');
        return { data };
      }),
    { kind: 'heavy', timeoutSeconds },
  );
}

/** Stores a link. The stored response has its identifier only: the token of the link is nowhere in the clear. */
async function storeShare(
  { db, secrets }: Dependencies,
  { workspaceId, body, request }: OperationInput<typeof operations.createShare>,
  media: MediaRow,
  idempotent: IdempotentRequest,
): Promise<ShareRow> {
  const share = {
    workspace_id: workspaceId,
    media_id: media.id,
    ...toMoment(media, body),
    title: body.title ?? null,
    created_by: await findPersonSignedIn(db, request, workspaceId),
    expires_at: new Date(Date.now() + body.expires_in_hours * 3_600_000).toISOString(),
  };
  return inWorkspace(db, workspaceId, async (transaction) => {
    const stored = await createShare(transaction, secrets, share);
    if (!stored) {
      throw validationError([
        { path: 'body', message: `would be one link too many: a workspace has at most ${maxShares}; revoke some` },
      ]);
    }
    await idempotent.storeResponse(transaction, { status: 201, headers: {}, body: { id: stored.id } });
    return stored;
  });
}

/** The link that an earlier request made. Throws `not_found` where it has ended: what was revoked is not made public again. */
async function findEarlierShare(db: Catalog, workspaceId: string, { body }: StoredResponse): Promise<ShareRow> {
  const share = await findListedShare(db, workspaceId, (body as { id: string }).id);
  if (share) return share;
  throw new ApiError('not_found', 'The link that this Idempotency-Key stands for was revoked or has expired.');
}

/** The span that is shared. Throws `not_ready`, and `validation_error` for one that the item does not have. */
function toMoment(
  { status, type, duration }: MediaRow,
  { start, end }: OperationInput<typeof operations.createShare>['body'],
) {
  if (status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${status}\`; only a complete one can be shared.`);
  }
  // A hit of a photograph has 0 as both.
  const isWhole = start === undefined || end === undefined || (type === 'image' && end === 0);
  if (isWhole) return { start_time: null, end_time: null };
  if (type === 'image') throw validationError([{ path: 'body.start', message: 'must be left out for an image' }]);
  if (end === 0) throw validationError([{ path: 'body.end', message: 'must be after `start`' }]);
  if (start >= (duration ?? 0)) {
    throw validationError([{ path: 'body.start', message: `must be before ${duration}, where the video ends` }]);
  }
  return { start_time: start, end_time: Math.min(end, duration ?? end) };
}

/** The operations on shares. */
export function serveShares(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, publicUrl, secrets } = dependencies;
  serveCreateShare(app, dependencies);

  serveOperation(app, operations.deleteShare, async ({ workspaceId, params }) => {
    const share = await revokeShare(dependencies, workspaceId, params.id);
    if (!share) throw notFoundError('shared link');
    return { data: { id: share.id, deleted: true as const } };
  });

  serveOperation(app, operations.listShares, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listShares(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    return { data: rows.map((row) => toShare(row, secrets, baseUrl)), meta: toPageMeta(query, total) };
  });
}
