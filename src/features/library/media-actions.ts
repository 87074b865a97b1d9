import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteMedia, getMedia, retryMedia, updateMedia } from '../../api/generated/api/index.ts';
import { mediaKeys } from '../../api/queries.ts';

type LabelChanges = { creator_id?: string | null; category_id?: string | null };

/**
 * Reads again what shows items: lists, searches, counts, the items themselves. What is being read for the first time is given up before:
 * react-query would wait for that answer, which may be from before the change, and take it for the new state.
 */
const reload = (client: QueryClient) =>
  Promise.all(
    [...['Media', 'Creators', 'Categories'].map((tag) => [{ tags: [tag] }]), ...mediaKeys].map(async (queryKey) => {
      await client.cancelQueries({ queryKey });
      await client.invalidateQueries({ queryKey });
    }),
  );

/** Runs a request for each item, a few at a time; the first failure is thrown when all have been tried. */
async function forEach(ids: readonly string[], run: (id: string) => Promise<unknown>): Promise<void> {
  const waiting = [...ids];
  const failures: unknown[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await run(id).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  if (failures.length > 0) throw failures[0];
}

/** Creator and category of an item, to be put back. */
export type LabelsBefore = { id: string; creator_id: string | null; category_id: string | null };

/** Assigns or clears creator and category of items. Gives what they had before. */
export function useAssignLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      ids,
      changes,
    }: {
      ids: readonly string[];
      changes: LabelChanges;
    }): Promise<LabelsBefore[]> => {
      const before: LabelsBefore[] = [];
      await forEach(ids, async (id) => {
        const { creator_id, category_id } = (await getMedia({ path: { id } })).data;
        await updateMedia({ path: { id }, body: changes });
        before.push({ id, creator_id, category_id });
      });
      return before;
    },
    onSettled: () => reload(client),
  });
}

/** Gives items the creators and categories back that they had before. */
export function useRestoreLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (before: LabelsBefore[]) => {
      const labels = new Map(before.map(({ id, ...body }) => [id, body]));
      return forEach([...labels.keys()], (id) => updateMedia({ path: { id }, body: labels.get(id) ?? {} }));
    },
    onSettled: () => reload(client),
  });
}

/** Puts failed items back to be indexed. */
export function useRetryMedia() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => forEach(ids, (id) => retryMedia({ path: { id } })),
    onSettled: () => reload(client),
  });
}

/** Deletes items with all that belongs to them. `onDeleted` is awaited before anything is read again. */
export function useDeleteMedia(onDeleted: () => Promise<void> | void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => forEach(ids, (id) => deleteMedia({ path: { id } })),
    onSuccess: onDeleted,
    onSettled: () => reload(client),
  });
}
