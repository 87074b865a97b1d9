import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { mediaKeys } from '../../api/queries.ts';

type LabelChanges = { creator_id?: string | null; category_id?: string | null };

/** Reads again what shows items: lists, searches, counts, the items themselves. */
const reload = (client: QueryClient) =>
  Promise.all(
    [['media'], ['creators'], ['categories'], ...mediaKeys].map((queryKey) => client.invalidateQueries({ queryKey })),
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

/** Assigns or clears creator and category of items. */
export function useAssignLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, changes }: { ids: readonly string[]; changes: LabelChanges }) =>
      forEach(ids, (id) => unwrap(api.PATCH('/media/{id}', { params: { path: { id } }, body: changes }))),
    onSettled: () => reload(client),
  });
}

/** Puts failed items back to be indexed. */
export function useRetryMedia() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) =>
      forEach(ids, (id) => unwrap(api.POST('/media/{id}/retry', { params: { path: { id } } }))),
    onSettled: () => reload(client),
  });
}

/** Deletes items with all that belongs to them. `onDeleted` is awaited before anything is read again. */
export function useDeleteMedia(onDeleted: () => Promise<void> | void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) =>
      forEach(ids, (id) => unwrap(api.DELETE('/media/{id}', { params: { path: { id } } }))),
    onSuccess: onDeleted,
    onSettled: () => reload(client),
  });
}
