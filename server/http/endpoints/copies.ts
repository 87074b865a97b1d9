import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Copy as ShownCopy, CopySearch, DuplicateGroup } from '../../../contract/copies.ts';
import { operations } from '../../../contract/operations.ts';
import { findChange } from '../../catalog/changes/change-rows.ts';
import { findMedia, findMediaByIds, type MediaRow } from '../../catalog/media/media-items.ts';
import { type Copy, dismissCopies, listCopies, listDuplicateGroups } from '../../catalog/reuse/copies.ts';
import { type CopySearchState, readCopySearch, setCopySearchPaused } from '../../catalog/reuse/fingerprints.ts';
import { keepCopy } from '../../catalog/reuse/keep-copy.ts';
import { readSourcePlaces } from '../../catalog/sources/sources.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { searchByVideo } from '../../search/reuse/search-by-video.ts';
import type { Dependencies } from '../dependencies.ts';
import { consumeSearchQuota } from '../limits/rate-limit.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { receiveVideoQuery } from '../request-bodies/receive-video-query.ts';
import { toChange, tooManyError } from './media-changes.ts';
import { toMediaItems } from './media-item.ts';

type Showing = Pick<Dependencies, 'db' | 'secrets' | 'recognised' | 'publicUrl'>;

/** Copies with their items as the API shows them; those of items that are gone are left out. */
async function showCopies(showing: Showing, request: FastifyRequest, copies: Copy[]): Promise<ShownCopy[]> {
  const { workspaceId } = request;
  const ids = copies.map(({ otherId }) => otherId);
  const rows = [...(await findMediaByIds(showing.db, workspaceId, ids)).values()];
  const items = await toMediaItems(showing, rows, getBaseUrl(request, showing.publicUrl));
  const byId = new Map(items.map((item) => [item.id, item]));
  return copies.flatMap(({ otherId, relation: { kind, score, spans } }) => {
    const item = byId.get(otherId);
    const shown = spans.map(({ a, b, ...span }) => ({
      start: a.start,
      end: a.end,
      other_start: b.start,
      other_end: b.end,
      ...span,
    }));
    return item ? [{ kind, score, spans: shown, item }] : [];
  });
}

/** Which of two copies is better: the longer one, then the larger picture, then one whose file says when it was recorded, then more bytes, then the older one. */
function compareCopies(a: MediaRow, b: MediaRow): number {
  // What is cut by less than half a second was not made to be shorter.
  const seconds = (b.duration ?? 0) - (a.duration ?? 0);
  if (Math.abs(seconds) > 0.5) return seconds;
  const pixels = (b.width ?? 0) * (b.height ?? 0) - (a.width ?? 0) * (a.height ?? 0);
  const tags = Number(b.taken_at !== null) - Number(a.taken_at !== null);
  return pixels || tags || b.size - a.size || (a.id < b.id ? -1 : 1);
}

/** Tells which originals are damaged, missing, or in a source that is away: none of those is to be the one that is left. */
async function findUnreachable(db: Dependencies['db'], workspaceId: string): Promise<(row: MediaRow) => boolean> {
  const places = await readSourcePlaces(db, workspaceId);
  return ({ original_problem: problem, source_id: source }) =>
    problem !== null || (source !== null && places.get(source)?.offline_since !== null);
}

async function showGroups(showing: Showing, request: FastifyRequest, groups: string[][]): Promise<DuplicateGroup[]> {
  const rows = await findMediaByIds(showing.db, request.workspaceId, groups.flat());
  const isUnreachable = await findUnreachable(showing.db, request.workspaceId);
  const compare = (a: MediaRow, b: MediaRow) =>
    Number(isUnreachable(a)) - Number(isUnreachable(b)) || compareCopies(a, b);
  const baseUrl = getBaseUrl(request, showing.publicUrl);
  const shown: DuplicateGroup[] = [];
  for (const ids of groups) {
    const sorted = ids.flatMap((id) => rows.get(id) ?? []).toSorted(compare);
    const [best] = sorted;
    if (!best || sorted.length < 2) continue;
    shown.push({ best_id: best.id, items: await toMediaItems(showing, sorted, baseUrl) });
  }
  return shown;
}

const toCopySearch = ({ paused, total, pending, secondsLeft }: CopySearchState): CopySearch => ({
  state: pending === 0 ? 'done' : paused ? 'paused' : 'running',
  total,
  pending,
  seconds_left: secondsLeft,
});

/** Where items are used again. */
export function serveCopies(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;

  serveOperation(app, operations.listCopies, async ({ workspaceId, params, request }) => {
    if (!(await findMedia(db, workspaceId, params.id))) throw notFoundError('media item');
    return { data: await showCopies(dependencies, request, await listCopies(db, workspaceId, params.id)) };
  });

  serveOperation(app, operations.getCopySearch, async ({ workspaceId }) => ({
    data: toCopySearch(await readCopySearch(db, workspaceId)),
  }));

  serveOperation(app, operations.updateCopySearch, async ({ workspaceId, body }) => {
    await setCopySearchPaused(db, workspaceId, body.paused);
    if (!body.paused) dependencies.onStored();
    return { data: toCopySearch(await readCopySearch(db, workspaceId)) };
  });

  serveOperation(
    app,
    operations.searchMediaByVideo,
    ({ workspaceId, body, request, signal }) =>
      dependencies.scratch.withFolder(async (folder) => {
        const asked = await receiveVideoQuery({ body, request, signal }, folder);
        await consumeSearchQuota(dependencies.searchCounter, request);
        const copies = await searchByVideo(dependencies, { workspaceId, signal }, asked);
        return { data: (await showCopies(dependencies, request, copies)).slice(0, asked.n) };
      }),
    { kind: 'heavy', timeoutSeconds: 180 },
  );

  serveDuplicates(app, dependencies);
}

function serveDuplicates(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, changes } = dependencies;

  serveOperation(app, operations.listDuplicates, async ({ workspaceId, query, request }) => {
    const groups = await listDuplicateGroups(db, workspaceId);
    const first = (query.page - 1) * query.per_page;
    const page = groups.slice(first, first + query.per_page);
    return { data: await showGroups(dependencies, request, page), meta: toPageMeta(query, groups.length) };
  });

  serveOperation(app, operations.dismissCopies, async ({ workspaceId, body }) => ({
    data: { pairs: await dismissCopies(db, workspaceId, body.ids, body.dismissed) },
  }));

  serveOperation(app, operations.keepBestCopy, async ({ workspaceId, body: { keep_id, other_ids } }) => {
    const others = other_ids.filter((id) => id !== keep_id);
    const rows = await keepCopy(db, workspaceId, keep_id, others);
    if (!rows) throw notFoundError('media item');
    if ('refused' in rows) throw rows.refused === 'too many' ? tooManyError() : notFoundError('label');
    const made = [];
    for (const added of rows) {
      if (added.state === 'running') await changes.begin(added.id);
      const row = await findChange(db, { workspace_id: workspaceId, id: added.id });
      made.push(await toChange(db, row ?? added));
    }
    return { data: made };
  });
}
