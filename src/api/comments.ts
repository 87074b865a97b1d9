import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import {
  type Comment,
  createComment,
  type CreateCommentData,
  deleteComment,
  getMediaQueryKey,
  type GetMediaResponse,
  listComments,
  listCommentsOptions,
  type MediaItem,
  reviewMedia,
  updateComment,
  type UpdateCommentData,
} from './generated/api/index.ts';
import { listMembersOptions, listMentionsOptions, seeMentions } from './generated/dashboard/index.ts';
import { shownInForm } from './request.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

export type { Comment } from './generated/api/index.ts';

/** All comments on an item, replies among them, the oldest first. */
export const commentsOptions = (mediaId: string) =>
  queryOptions({
    ...wholeListOptions(
      listCommentsOptions({ path: { id: mediaId }, query: { per_page: maxPerPage } }),
      ({ query, signal }) => listComments({ path: { id: mediaId }, query, signal }),
    ),
    staleTime: 10_000,
  });

/** The members who can be mentioned; none where another service is shown, which knows no session. */
export const membersOptions = queryOptions({
  ...listMembersOptions(),
  select: ({ data }) => data,
  staleTime: 60_000,
  enabled: !connection,
});

/** What mentions the person who is signed in and they have not seen. */
export const mentionsOptions = queryOptions({
  ...listMentionsOptions(),
  select: ({ data }) => data,
  staleTime: 30_000,
  enabled: !connection,
});

/** Reads again what changes with the comments on an item. */
function useReload(mediaId: string): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: commentsOptions(mediaId).queryKey }),
      client.invalidateQueries({ queryKey: getMediaQueryKey({ path: { id: mediaId } }) }),
    ]);
}

/** Comments on an item; a failure is shown in the form. */
export function useCreateComment(mediaId: string) {
  const reload = useReload(mediaId);
  return useMutation({
    mutationFn: async (body: CreateCommentData['body']): Promise<Comment> =>
      (await createComment({ path: { id: mediaId }, body })).data,
    meta: shownInForm,
    onSettled: reload,
  });
}

/** Changes a comment on an item, resolves it or opens it again. */
export function useChangeComment(mediaId: string) {
  const reload = useReload(mediaId);
  return useMutation({
    mutationFn: ({ id, ...body }: UpdateCommentData['body'] & { id: string }) => updateComment({ path: { id }, body }),
    onSettled: reload,
  });
}

export function useDeleteComment(mediaId: string) {
  const reload = useReload(mediaId);
  return useMutation({ mutationFn: (id: string) => deleteComment({ path: { id } }), onSettled: reload });
}

/** Approves an item, asks for changes, or takes that back. It is shown at once. */
export function useReviewMedia(mediaId: string) {
  const client = useQueryClient();
  const queryKey = getMediaQueryKey({ path: { id: mediaId } });
  return useMutation({
    mutationFn: async (state: MediaItem['review']['state']) =>
      (await reviewMedia({ path: { id: mediaId }, body: { state } })).data,
    onSuccess: (review) =>
      client.setQueryData<GetMediaResponse>(queryKey, (old) => old && { ...old, data: { ...old.data, review } }),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** Notes that the mentions on an item were seen, or all of them. */
export function useSeeMentions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mediaId: string | undefined) =>
      seeMentions({ body: mediaId === undefined ? {} : { media_id: mediaId } }),
    onSettled: () => client.invalidateQueries({ queryKey: mentionsOptions.queryKey }),
  });
}
