import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  createShare,
  type CreateShareData,
  deleteShare,
  listShares,
  listSharesOptions,
  type Share,
  updateShare,
  type UpdateShareData,
} from './generated/api/index.ts';
import { shownInForm } from './request.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** All public links, the newest first. */
export const sharesOptions = queryOptions({
  ...wholeListOptions(listSharesOptions({ query: { per_page: maxPerPage } }), listShares),
  staleTime: 10_000,
});

/** Creates a public link; its failure is shown in its form. */
export function useCreateShare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: CreateShareData['body']): Promise<Share> => (await createShare({ body })).data,
    meta: shownInForm,
    onSettled: () => client.invalidateQueries({ queryKey: sharesOptions.queryKey }),
  });
}

/** Revokes a public link. */
export function useDeleteShare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => deleteShare({ path: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: sharesOptions.queryKey }),
  });
}

/** Changes a public link; its failure is shown in its form. */
export function useUpdateShare() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, changes }: { id: string; changes: UpdateShareData['body'] }) =>
      updateShare({ path: { id }, body: changes }),
    meta: shownInForm,
    onSettled: () => client.invalidateQueries({ queryKey: sharesOptions.queryKey }),
  });
}
