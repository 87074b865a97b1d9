import { smallPoster } from '@media-search/media/picture-sizes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { operations } from '../../../contract/operations.ts';
import { maxSharedItems, type shareOperations } from '../../../contract/shares.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import type { StoredResponse } from '../../catalog/accounts/idempotency.ts';
import { findGroup } from '../../catalog/labels/item-groups.ts';
import { findMedia, findMediaByIds, listMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type SharedSummary, summariseShares } from '../../catalog/shares/shared-items.ts';
import {
  changeShare,
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
import { hashPassword } from '../../platform/crypto/passwords.ts';
import { findPersonSignedIn } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { withoutSlot } from '../limits/concurrency-limit.ts';
import { type IdempotentRequest, withIdempotencyKey } from '../operations/idempotency.ts';
import { type OperationInput, serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl, networkOf } from '../protocol/requests.ts';
import { shareUrl } from './shared-page.ts';

type Share = z.output<typeof shareOperations.createShare.data>;
type ShareInput = OperationInput<typeof operations.createShare>;

/** Public links as the API shows them, with their tokens. */
async function toShares(
  { db, secrets, publicUrl }: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: FastifyRequest,
  rows: ListedShare[],
): Promise<Share[]> {
  const baseUrl = getBaseUrl(request, publicUrl);
  const toMany = rows.filter(({ media_id }) => media_id === null).map(({ id }) => id);
  const summaries = await summariseShares(db, request.workspaceId, toMany);
  return rows.map((row) => {
    const first = row.media_id === null ? summaries.get(row.id) : { ...row, items: 1 };
    return {
      id: row.id,
      url: shareUrl(baseUrl, secrets.unseal(row.sealed)),
      kind: kindOf(row),
      media_id: row.media_id,
      collection_id: row.collection_id,
      filename: row.filename ?? row.collection ?? '',
      type: row.type,
      start: row.start_time,
      end: row.end_time,
      items: first?.items ?? 0,
      title: row.title,
      note: row.note,
      thumbnail: thumbnailOf(row.workspace_id, first),
      download: row.download,
      comments: row.comments,
      has_password: row.password_hash !== null,
      created_by: row.person,
      created_at: row.created_at,
      expires_at: row.expires_at,
      views: row.views,
      downloads: row.downloads,
    };
  });

  function thumbnailOf(workspace_id: string, first: SharedSummary | undefined): string | null {
    if (!first || first.media_id === null || first.poster_file === null) return null;
    return signAssetUrl(secrets, baseUrl, { workspace_id, id: first.media_id }, smallPoster(first.poster_file));
  }
}

function kindOf({ media_id, collection_id, start_time }: ShareRow): Share['kind'] {
  if (media_id !== null) return start_time === null ? 'item' : 'moment';
  return collection_id === null ? 'selection' : 'collection';
}

/** Longer than the longest clip takes to be cut, seconds. */
const timeoutSeconds = 360;

/** `POST /shares`: answers when what a link to an item gives is there. Of many items the files are made when they are looked at. */
function serveCreateShare(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, secrets, shareFiles } = dependencies;
  serveOperation(
    app,
    operations.createShare,
    (input) =>
      withIdempotencyKey(dependencies, operations.createShare, input.request, async (idempotent) => {
        const { workspaceId, body, request, reply } = input;
        // What is stored of a request tells nothing of a password.
        const password = body.password === undefined ? {} : { password: secrets.sign(body.password) };
        const earlier = idempotent.findStoredResponse({ ...body, ...password });
        const target = await findTarget(db, workspaceId, body);
        const share = earlier
          ? await findEarlierShare(db, workspaceId, earlier)
          : await storeShare(dependencies, input, target, idempotent);
        if ('media' in target) {
          // An earlier request with the same key may have ended before the file was made.
          await shareFiles.open(share, target.media).catch(async (error: unknown) => {
            await deleteShare(db, workspaceId, share.id);
            await idempotent.forgetStoredResponse();
            throw error;
          });
        }
        const listed = await findListedShare(db, workspaceId, share.id);
        if (!listed) throw notFoundError('media item');
        const [data] = (await toShares(dependencies, request, [listed])) as [Share];
        void reply.header('Location', data.url);
        if (earlier) void reply.header('Idempotency-Replayed', 'true');
        return { data };
      }),
    { kind: 'heavy', timeoutSeconds },
  );
}

/** What a link leads to. */
type Target = { media: MediaRow } | { collectionId: string } | { mediaIds: string[] };

/** Throws `not_found`, and `not_ready` where none of the items is complete. */
async function findTarget(db: Catalog, workspaceId: string, body: ShareInput['body']): Promise<Target> {
  const { media_id, collection_id, ids, filter } = body;
  if (media_id !== undefined) {
    const media = await findMedia(db, workspaceId, media_id);
    if (!media) throw notFoundError('media item');
    return { media };
  }
  if (collection_id !== undefined) {
    if (!(await findGroup(db, 'collections', workspaceId, collection_id))) throw notFoundError('collection');
    return { collectionId: collection_id };
  }
  const found = ids ? await findMediaByIds(db, workspaceId, ids) : await findPassing(db, workspaceId, filter ?? {});
  const wanted = ids ? [...new Set(ids)] : [...found.keys()];
  if (found.size === 0) throw notFoundError('media item');
  const mediaIds = wanted.filter((id) => found.get(id)?.status === 'complete');
  if (mediaIds.length === 0)
    throw new ApiError('not_ready', 'None of these items is `complete`; only such can be shared.');
  return { mediaIds };
}

async function findPassing(
  db: Catalog,
  workspaceId: string,
  filter: NonNullable<ShareInput['body']['filter']>,
): Promise<Map<string, MediaRow>> {
  const { rows } = await listMedia(db, workspaceId, {
    ...filter,
    sort: '-created_at',
    page: 1,
    per_page: maxSharedItems,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores a link. The stored response has its identifier only: the token of the link is nowhere in the clear. */
async function storeShare(
  { db, secrets }: Dependencies,
  input: ShareInput,
  target: Target,
  idempotent: IdempotentRequest,
): Promise<ShareRow> {
  const { workspaceId, body, request } = input;
  const share = {
    workspace_id: workspaceId,
    media_id: 'media' in target ? target.media.id : null,
    collection_id: 'collectionId' in target ? target.collectionId : null,
    ...('media' in target ? toMoment(target.media, body) : { start_time: null, end_time: null }),
    title: body.title ?? null,
    note: body.note ?? null,
    download: body.download,
    comments: body.comments,
    password_hash: body.password === undefined ? null : await hashFor(input, body.password),
    created_by: await findPersonSignedIn(db, request, workspaceId),
    expires_at: toExpiry(body.expires_in_hours),
  };
  return inWorkspace(db, workspaceId, async (transaction) => {
    const stored = await createShare(transaction, secrets, share, 'mediaIds' in target ? target.mediaIds : []);
    if (!stored) {
      throw validationError([
        { path: 'body', message: `would be one link too many: a workspace has at most ${maxShares}; revoke some` },
      ]);
    }
    await idempotent.storeResponse(transaction, { status: 201, headers: {}, body: { id: stored.id } });
    return stored;
  });
}

const toExpiry = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Hashes a password in the turn of the client's network, as those of accounts. */
const hashFor = ({ request, signal }: Pick<ShareInput, 'request' | 'signal'>, password: string): Promise<string> =>
  withoutSlot(request, () => hashPassword(password, { network: networkOf(request.ip), signal }));

/** The link that an earlier request made. Throws `not_found` where it has ended: what was revoked is not made public again. */
async function findEarlierShare(db: Catalog, workspaceId: string, { body }: StoredResponse): Promise<ShareRow> {
  const share = await findListedShare(db, workspaceId, (body as { id: string }).id);
  if (share) return share;
  throw new ApiError('not_found', 'The link that this Idempotency-Key stands for was revoked or has expired.');
}

/** The span that is shared. Throws `not_ready`, and `validation_error` for one that the item does not have. */
function toMoment({ status, type, duration }: MediaRow, { start, end, download }: ShareInput['body']) {
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
  if (download === 'original') throw originalOfMomentError();
  return { start_time: start, end_time: Math.min(end, duration ?? end) };
}

/** The refusal to give the whole file with a moment of it. */
const originalOfMomentError = (): ApiError =>
  validationError([{ path: 'body.download', message: 'must not be `original` for a moment: that is the whole video' }]);

function serveUpdateShare(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, pubsub } = dependencies;
  serveOperation(app, operations.updateShare, async (input) => {
    const { workspaceId, params, body, request } = input;
    const { password, expires_in_hours: hours, ...changes } = body;
    const before = await findListedShare(db, workspaceId, params.id);
    if (!before) throw notFoundError('shared link');
    if (body.download === 'original' && before.start_time !== null) throw originalOfMomentError();
    const changed = await changeShare(db, workspaceId, params.id, {
      ...changes,
      ...(hours === undefined ? {} : { expires_at: toExpiry(hours) }),
      ...(password === undefined ? {} : { password_hash: password === null ? null : await hashFor(input, password) }),
    });
    if (!changed) throw notFoundError('shared link');
    // What is being sent was begun with what was allowed before.
    await pubsub.publish(db, 'shares', params.id);
    const [data] = (await toShares(dependencies, request, [changed])) as [Share];
    return { data };
  });
}

/** The operations on shares. */
export function serveShares(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveCreateShare(app, dependencies);
  serveUpdateShare(app, dependencies);

  serveOperation(app, operations.deleteShare, async ({ workspaceId, params }) => {
    const share = await revokeShare(dependencies, workspaceId, params.id);
    if (!share) throw notFoundError('shared link');
    return { data: { id: share.id, deleted: true as const } };
  });

  serveOperation(app, operations.listShares, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listShares(db, workspaceId, query);
    return { data: await toShares(dependencies, request, rows), meta: toPageMeta(query, total) };
  });
}
