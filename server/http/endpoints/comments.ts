import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Comment, CommentBody } from '../../../contract/comments.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { operations } from '../../../contract/operations.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import { findKeyName } from '../../catalog/accounts/api-keys.ts';
import { findMemberOf } from '../../catalog/accounts/members.ts';
import {
  type Author,
  changeComment,
  createComment,
  deleteComment,
  findComment,
  listComments,
  readComments,
} from '../../catalog/comments/comments.ts';
import { listUnseen, seeMentions } from '../../catalog/comments/mentions.ts';
import { reviewMedia } from '../../catalog/comments/review.ts';
import { findMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import { findPersonSignedIn, serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';

/** Who sends a request: the person signed in, or else the program that has the key. */
async function findAuthor(db: Catalog, request: FastifyRequest): Promise<Author> {
  const { workspaceId, apiKeyId } = request;
  const personId = await findPersonSignedIn(db, request, workspaceId);
  const member = personId === null ? undefined : await findMemberOf(db, workspaceId, personId);
  if (member) return { person_id: member.id, author_name: member.name };
  return { key_id: apiKeyId, author_name: (await findKeyName(db, workspaceId, apiKeyId)) ?? 'API key' };
}

/** Throws `validation_error` for a place that the item does not have. */
function checkPlace({ type, duration }: MediaRow, { start, end }: Pick<CommentBody, 'start' | 'end'>): void {
  if (start === undefined) return;
  if (type === 'image') throw validationError([{ path: 'body.start', message: 'must be left out for an image' }]);
  const last = duration ?? 0;
  if (start > last)
    throw validationError([{ path: 'body.start', message: `must be at most ${last}, where the video ends` }]);
  if (end !== undefined && end > last) {
    throw validationError([{ path: 'body.end', message: `must be at most ${last}, where the video ends` }]);
  }
}

/** Throws `not_found`. */
async function requireMedia(db: Catalog, workspaceId: string, id: string): Promise<MediaRow> {
  const media = await findMedia(db, workspaceId, id);
  if (!media) throw notFoundError('media item');
  return media;
}

/** A comment and its item. Throws `not_found`. */
async function requireComment(db: Catalog, workspaceId: string, id: string) {
  const comment = await findComment(db, workspaceId, id);
  if (!comment) throw notFoundError('comment');
  return { comment, media: await requireMedia(db, workspaceId, comment.media_id) };
}

function serveCreateComment(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, operations.createComment, async (input) => {
    const { workspaceId, params, body, request } = input;
    const media = await requireMedia(db, workspaceId, params.id);
    checkPlace(media, body);
    const author = await findAuthor(db, request);
    const asked = { ...input, body: { ...body, media_id: media.id } };
    return createOnce(dependencies, { ...operations.createComment, path: '/comments' }, asked, async (transaction) => {
      const created = await createComment(transaction, media, body, author);
      if (created === 'full') {
        throw validationError([{ path: 'body', message: 'would be one comment too many: an item has at most 1000' }]);
      }
      if (created === 'no parent') {
        throw validationError([{ path: 'body.parent_id', message: 'must be a comment on this item, and no reply' }]);
      }
      return created;
    });
  });
}

function serveUpdateComment(app: FastifyInstance, { db }: Pick<Dependencies, 'db'>): void {
  serveOperation(app, operations.updateComment, async ({ workspaceId, params, body, request }) => {
    const { comment, media } = await requireComment(db, workspaceId, params.id);
    const author = await findAuthor(db, request);
    if ((body.text !== undefined || body.mentions) && !isOwn(comment, author)) {
      throw new ApiError('forbidden', 'Only its author can change what a comment says.');
    }
    if (body.resolved !== undefined && comment.parent_id !== null) {
      throw validationError([{ path: 'body.resolved', message: 'must be left out for a reply' }]);
    }
    const changed = await changeComment(db, media, withoutKey(comment), body, author.person_id ?? null);
    if (!changed) throw notFoundError('comment');
    return { data: changed };
  });
}

/** Whether the person who sends a request owns the workspace. */
async function isOwner(db: Catalog, request: FastifyRequest): Promise<boolean> {
  const personId = await findPersonSignedIn(db, request, request.workspaceId);
  return personId !== null && (await findMemberOf(db, request.workspaceId, personId))?.role === 'owner';
}

/** The operations on comments and reviews that take an API key. */
export function serveComments(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveCreateComment(app, dependencies);

  serveOperation(app, operations.deleteComment, async ({ workspaceId, params, request }) => {
    const { comment, media } = await requireComment(db, workspaceId, params.id);
    const mayDelete =
      comment.author.kind === 'guest' || isOwn(comment, await findAuthor(db, request)) || (await isOwner(db, request));
    if (!mayDelete) {
      throw new ApiError('forbidden', 'Only its author and owners of the workspace can delete this comment.');
    }
    await deleteComment(db, media, withoutKey(comment));
    return { data: { id: comment.id, deleted: true as const } };
  });

  serveOperation(app, operations.getComment, async ({ workspaceId, params }) => ({
    data: (await requireComment(db, workspaceId, params.id)).comment,
  }));

  serveOperation(app, operations.listComments, async ({ workspaceId, params, query }) => {
    await requireMedia(db, workspaceId, params.id);
    const { comments, total } = await listComments(db, workspaceId, params.id, query);
    return { data: comments, meta: toPageMeta(query, total) };
  });

  serveOperation(app, operations.reviewMedia, async ({ workspaceId, params, body, request }) => {
    const by = await findPersonSignedIn(db, request, workspaceId);
    const decided = await reviewMedia(db, workspaceId, params.id, body.state, by);
    if (!decided) throw notFoundError('media item');
    return { data: decided };
  });

  serveUpdateComment(app, dependencies);
}

type FoundComment = Comment & { key_id: string | null };

/** As the API and events have it. */
const withoutKey = ({ key_id: _key, ...comment }: FoundComment): Comment => comment;

/** Whether the sender of a request wrote a comment. */
const isOwn = ({ author, key_id }: FoundComment, sender: Author): boolean =>
  sender.person_id === undefined ? key_id !== null && key_id === sender.key_id : author.id === sender.person_id;

/** The operations on mentions, which take a session. */
export function serveMentions(
  app: FastifyInstance,
  { db, publicUrl, secrets }: Pick<Dependencies, 'db' | 'publicUrl' | 'secrets'>,
): void {
  serveMemberOperation(app, db, dashboardOperations.listMentions, async ({ workspaceId, member, request }) => {
    const unseen = await listUnseen(db, workspaceId, member.person.id);
    const comments = await readComments(
      db,
      workspaceId,
      unseen.map(({ comment_id }) => comment_id),
    );
    const byId = new Map(comments.map((comment) => [comment.id, comment]));
    const baseUrl = getBaseUrl(request, publicUrl);
    return {
      data: unseen.flatMap(({ comment_id, media_id: id, filename, type, poster_file }) => {
        const comment = byId.get(comment_id);
        const item = { workspace_id: workspaceId, id };
        const thumbnail = poster_file === null ? null : signAssetUrl(secrets, baseUrl, item, poster_file);
        return comment ? [{ comment, media: { id, filename, type, thumbnail } }] : [];
      }),
    };
  });

  serveMemberOperation(app, db, dashboardOperations.seeMentions, async ({ workspaceId, member, body }) => ({
    data: { seen: await seeMentions(db, { workspaceId, personId: member.person.id }, body.media_id) },
  }));
}
