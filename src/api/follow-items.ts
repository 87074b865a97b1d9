import type { QueryClient } from '@tanstack/react-query';
import { atMostEvery } from '../lib/at-most-every.ts';
import { ApiError } from './client.ts';
import {
  getMedia,
  getMediaQueryKey,
  type GetMediaResponse,
  getWorkspaceQueryKey,
  listMedia,
  type ListMediaData,
  listMediaQueryKey,
  type ListMediaResponse,
  listMonthsQueryKey,
  type MediaItem,
} from './generated/api/index.ts';
import { ItemWatcher, type WatchReport } from './item-watcher.ts';
import { isReadingText, isUnderWay } from './poll-interval.ts';
import { maxPerPage } from './whole-list.ts';

/** While items come in, lists and counts are read again at most so often. */
const listsMs = 3000;
/** Searches cost more, and count towards the plan. The numbers of items in groups are only shown beside their names. */
const othersMs = 15_000;

/** Items that are read one by one in a turn, of a service that has no list of identifiers. */
const maxSingle = 10;

let client: QueryClient | undefined;

/** Asks for all items that are under way: those that are shown, and those that were uploaded. */
export const itemWatcher = new ItemWatcher({
  read: readStates,
  listShown: () => (client ? listShown(client) : []),
  isHidden: () => document.visibilityState === 'hidden',
});

async function readStates(ids: string[]): Promise<WatchReport> {
  const found = (await client?.fetchQuery(statesOptions(ids)))?.data ?? [];
  // Another service, which does not have the parameter, lists whatever it has.
  if (found.some(({ id }) => !ids.includes(id))) return readEach(ids.slice(0, maxSingle));
  const present = new Set(found.map(({ id }) => id));
  return { items: found, missing: ids.filter((id) => !present.has(id)) };
}

async function readEach(ids: string[]): Promise<WatchReport> {
  const report: WatchReport = { items: [], missing: [] };
  for (const id of ids) {
    try {
      report.items.push((await getMedia({ path: { id } })).data);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      report.missing.push(id);
    }
  }
  return report;
}

/** The states of items. As a query, so that a failure is handled as that of any other; its answers are not kept. */
const statesOptions = (ids: string[]) => ({
  queryKey: ['states of items'],
  queryFn: () => listMedia({ query: { ids: ids.join(','), per_page: maxPerPage } }),
  staleTime: 0,
  gcTime: 0,
  retry: false,
});

/** Reads lists and counts again, soon and not too often: items came or went. */
export const refreshLists = atMostEvery(listsMs, () => {
  for (const queryKey of [listMediaQueryKey(), listMonthsQueryKey(), getWorkspaceQueryKey()]) {
    void client?.invalidateQueries({ queryKey });
  }
});

const refreshOthers = atMostEvery(othersMs, () => {
  for (const tag of ['Search', 'Collections', 'Tags']) void client?.invalidateQueries({ queryKey: [{ tags: [tag] }] });
});

/** Keeps the items in a client's cache up to date until they are settled, without reading its lists again and again. */
export function followItems(queryClient: QueryClient): void {
  client = queryClient;
  const itemKeys = new Set(['listMedia', 'getMedia']);
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' && type !== 'observerAdded') return;
    const [key] = query.queryKey as [{ _id?: string } | undefined];
    if (key?._id !== undefined && itemKeys.has(key._id)) itemWatcher.wake();
  });
  itemWatcher.subscribe((report) => apply(queryClient, report));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') itemWatcher.hurry();
  });
}

/** Identifiers of the items under way in what is shown, and of the open one while its texts are read: for a library that takes hours. */
function listShown(queryClient: QueryClient): string[] {
  const lists = queryClient.getQueryCache().findAll({ queryKey: listMediaQueryKey(), type: 'active' });
  const single = queryClient.getQueryCache().findAll({ queryKey: [{ _id: 'getMedia' }], type: 'active' });
  const listed = lists.flatMap(({ state }) => (state.data as ListMediaResponse | undefined)?.data ?? []);
  const open = single.flatMap(({ state }) => (state.data as GetMediaResponse | undefined)?.data ?? []);
  return [...listed.filter(isUnderWay), ...open.filter((item) => isUnderWay(item) || isReadingText(item))].map(
    ({ id }) => id,
  );
}

function apply(queryClient: QueryClient, { items, missing }: WatchReport): void {
  const changed = new Map(items.map((item) => [item.id, item]));
  const settled = items.some((item) => !isUnderWay(item) && hasChanged(queryClient, item));
  queryClient.setQueriesData<ListMediaResponse>({ queryKey: listMediaQueryKey() }, (page) =>
    page?.data.some(({ id }) => changed.has(id))
      ? { ...page, data: page.data.map((item) => changed.get(item.id) ?? item) }
      : undefined,
  );
  for (const item of items) {
    queryClient.setQueryData<GetMediaResponse>(getMediaQueryKey({ path: { id: item.id } }), (old) =>
      old ? { ...old, data: item } : undefined,
    );
  }
  for (const id of missing) void queryClient.invalidateQueries({ queryKey: getMediaQueryKey({ path: { id } }) });
  // An item that is settled may belong elsewhere in a list, or in none, and the last one completes all lists.
  if (missing.length > 0 || (settled && (itemWatcher.isIdle() || goesByResult(queryClient)))) refreshLists();
  if (settled) refreshOthers();
}

/** Whether what can be found of an item is another than its page knew; that of items without an open page counts as such. */
function hasChanged(queryClient: QueryClient, { id, status, ocr, speech }: MediaItem): boolean {
  const known = queryClient.getQueryData<GetMediaResponse>(getMediaQueryKey({ path: { id } }))?.data;
  return known?.status !== status || known.ocr?.state !== ocr?.state || known.speech?.state !== speech?.state;
}

/** Whether a list that is shown goes by what is known of an item only when it is settled: its status, or the date on which it was taken. */
const goesByResult = (queryClient: QueryClient): boolean =>
  queryClient
    .getQueryCache()
    .findAll({ queryKey: listMediaQueryKey(), type: 'active' })
    .some(({ queryKey }) => {
      const { query = {} } = queryKey[0] as { query?: ListMediaData['query'] };
      const { status, taken_after, taken_before, sort } = query;
      return (status ?? taken_after ?? taken_before) !== undefined || sort?.endsWith('taken_at') === true;
    });
