import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { readStates } from '../../clients/typescript/read-states.ts';
import { atMostEvery } from '../lib/at-most-every.ts';
import { client as apiClient } from './client.ts';
import type { ServiceEvent } from './event-stream.ts';
import {
  getMediaQueryKey,
  type GetMediaResponse,
  getWorkspaceQueryKey,
  listAspectRatiosQueryKey,
  type ListMediaData,
  listMediaQueryKey,
  type ListMediaResponse,
  listMonthsQueryKey,
  type MediaItem,
} from './generated/api/index.ts';
import { type ItemState, ItemWatcher, type WatchReport } from './item-watcher.ts';
import { isReadingText, isUnderWay } from './poll-interval.ts';
import { eventStream } from './service-events.ts';
import { sourcesKey } from './sources.ts';

/** While items come in, lists and counts are read again at most so often. */
const listsMs = 3000;
/** Searches cost more, and count towards the plan. The numbers of items in groups are only shown beside their names. */
const othersMs = 15_000;

let client: QueryClient | undefined;

/** Asks for all items that are under way, those that are shown and those that were uploaded, unless events tell of them. */
export const itemWatcher = new ItemWatcher({
  read: async (ids) => (await client?.fetchQuery(statesOptions(ids))) ?? { items: [], missing: [] },
  listShown: () => (client ? listShown(client) : { underWay: [], reading: [] }),
  isHidden: () => document.visibilityState === 'hidden',
});

/** The states of items. As a query, so that a failure is handled as that of any other; its answers are not kept. */
const statesOptions = (ids: string[]) => ({
  queryKey: ['states of items'],
  queryFn: () => readStates(apiClient, ids),
  staleTime: 0,
  gcTime: 0,
  retry: false,
});

/** Any item that has a page. */
const anyItemKey: QueryKey = [{ _id: 'getMedia' }];

/** Hashes of queries whose first answer, which is on its way, may be from before what happened. */
const outdated = new Set<string>();

/** Reads queries again when their first answer is there. The query client cancels and repeats the later ones only. */
function readAgainOnceThere(queryKey: QueryKey): void {
  for (const { queryHash, state } of client?.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' }) ?? []) {
    if (state.data === undefined) outdated.add(queryHash);
  }
}

/** Reads lists and counts again, soon and not too often: items came or went. */
export const refreshLists = atMostEvery(listsMs, () => {
  const lists = [listMediaQueryKey(), listMonthsQueryKey(), listAspectRatiosQueryKey()];
  for (const queryKey of [...lists, getWorkspaceQueryKey()]) {
    readAgainOnceThere(queryKey);
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
  queryClient.getQueryCache().subscribe((event) => {
    const { type, query } = event;
    if (type !== 'updated' && type !== 'observerAdded') return;
    if (type === 'updated' && event.action.type === 'success' && outdated.delete(query.queryHash)) {
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
    const [key] = query.queryKey as [{ _id?: string } | undefined];
    if (key?._id !== undefined && itemKeys.has(key._id)) itemWatcher.wake();
  });
  itemWatcher.subscribe((report) => apply(queryClient, report));
  let hasBegun = false;
  eventStream.subscribe({
    onLive(live) {
      itemWatcher.setLive(live);
      // What happened between the first answers and the first event is told by neither.
      if (live && !hasBegun) {
        readAgainOnceThere(anyItemKey);
        refreshLists();
      }
      hasBegun ||= live;
    },
    onEvents: (events, gap) => takeEvents(queryClient, events, gap),
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') itemWatcher.hurry();
  });
}

/** What is shown: lists, and the item of an open page. */
function readShown(queryClient: QueryClient): { listed: MediaItem[]; open: MediaItem[] } {
  const lists = queryClient.getQueryCache().findAll({ queryKey: listMediaQueryKey(), type: 'active' });
  const single = queryClient.getQueryCache().findAll({ queryKey: anyItemKey, type: 'active' });
  return {
    listed: lists.flatMap(({ state }) => (state.data as ListMediaResponse | undefined)?.data ?? []),
    open: single.flatMap(({ state }) => (state.data as GetMediaResponse | undefined)?.data ?? []),
  };
}

/** Identifiers of the items under way in what is shown, and of the open one while its texts are read: for a library that takes hours. */
function listShown(queryClient: QueryClient): { underWay: string[]; reading: string[] } {
  const { listed, open } = readShown(queryClient);
  return {
    underWay: [...listed, ...open].filter(isUnderWay).map(({ id }) => id),
    reading: open.filter((item) => !isUnderWay(item) && isReadingText(item)).map(({ id }) => id),
  };
}

/** Handles what happened in the workspace, also by other people and programs. */
function takeEvents(queryClient: QueryClient, events: readonly ServiceEvent[], gap: boolean): void {
  const states = new Map<string, ItemState>();
  const missing = new Set<string>();
  /** Items whose comments or review are others now. */
  const reviewed = new Set<string>();
  for (const { type, data } of events) {
    if ('source' in data) continue;
    const { id } = data.media;
    if (type === 'media.deleted') {
      missing.add(id);
      states.delete(id);
    } else if (type === 'media.reviewed' || 'comment' in data) reviewed.add(id);
    else if (type !== 'media.created' && 'status' in data.media) states.set(id, data.media);
  }
  const ofSources = events.filter(({ data }) => 'source' in data);
  if (ofSources.length > 0 || gap) void queryClient.invalidateQueries({ queryKey: sourcesKey });
  // Their items say whether their originals are to be reached.
  const isOtherState = ofSources.some(({ type }) => type !== 'source.scanned');
  if (isOtherState) void queryClient.invalidateQueries({ queryKey: anyItemKey });
  if (reviewed.size > 0) void queryClient.invalidateQueries({ queryKey: [{ tags: ['Comments'] }] });
  itemWatcher.note({ items: [...states.values()], missing: [...missing] });
  if (gap) {
    itemWatcher.setLive(true);
    refreshOthers();
  }
  if (gap || isOtherState || events.some(({ type }) => type === 'media.created')) refreshLists();
  else itemWatcher.readOnce(chooseCompleteShown(queryClient, states, reviewed));
}

/** Complete and reviewed ones of what is shown: an event does not have what they show. Lists that are read again have it. */
function chooseCompleteShown(
  queryClient: QueryClient,
  states: ReadonlyMap<string, ItemState>,
  reviewed: ReadonlySet<string>,
): string[] {
  const { listed, open } = readShown(queryClient);
  const shown = new Set([...listed, ...open].map(({ id }) => id));
  return [...shown].filter((id) => reviewed.has(id) || states.get(id)?.status === 'complete');
}

/** Whether it is all of an item. What an event says of a complete one is not shown: its picture is still missing. */
const isWhole = (item: ItemState): item is MediaItem => item.updated_at !== undefined;

function apply(queryClient: QueryClient, { items, missing }: WatchReport): void {
  const changed = new Map(
    items.filter((item) => isWhole(item) || item.status !== 'complete').map((item) => [item.id, item]),
  );
  const settled = items.some((item) => !isUnderWay(item) && hasChanged(queryClient, item));
  queryClient.setQueriesData<ListMediaResponse>({ queryKey: listMediaQueryKey() }, (page) =>
    page?.data.some(({ id }) => changed.has(id))
      ? { ...page, data: page.data.map((item) => ({ ...item, ...changed.get(item.id) })) }
      : undefined,
  );
  for (const item of changed.values()) {
    queryClient.setQueryData<GetMediaResponse>(getMediaQueryKey({ path: { id: item.id } }), (old) =>
      old ? { ...old, data: { ...old.data, ...item } } : undefined,
    );
  }
  for (const id of missing) void queryClient.invalidateQueries({ queryKey: getMediaQueryKey({ path: { id } }) });
  // An item that is settled may belong elsewhere in a list, or in none, and the last one completes all lists.
  if (missing.length > 0 || (settled && (itemWatcher.isIdle() || goesByResult(queryClient)))) refreshLists();
  if (settled) refreshOthers();
}

/** Whether what can be found of an item is another than its page knew; that of items without an open page counts as such. */
function hasChanged(queryClient: QueryClient, item: ItemState): boolean {
  const known = queryClient.getQueryData<GetMediaResponse>(getMediaQueryKey({ path: { id: item.id } }))?.data;
  if (known?.status !== item.status) return true;
  return isWhole(item) && (known.ocr?.state !== item.ocr?.state || known.speech?.state !== item.speech?.state);
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
