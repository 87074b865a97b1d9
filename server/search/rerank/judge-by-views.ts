import { readEmbeddings } from '../../catalog/media/chunk-views.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { EngineHit } from '../hits.ts';
import { judgeInOrder, type Verdicts } from './judge-in-order.ts';
import { type RerankContext, type RerankDependencies, runWhenFree, withMediaSpan } from './rerank-context.ts';
import { viewSimilarity } from './scoring.ts';

/**
 * Compares the query, or the one of its pictures that is most alike, with the embeddings of each hit's views.
 * @param onlyStored hits whose views are not stored are left without a verdict; otherwise their media is read
 */
export async function judgeByViews(
  { db, assets, search, queryPool }: RerankDependencies,
  queries: Float32Array[],
  embedder: QueryEmbedder,
  { workspaceId, hits, deadline, whileWaiting }: RerankContext,
  onlyStored: boolean,
): Promise<Verdicts> {
  const relevances = await Promise.all(queries.map((query) => search.relevanceOf(workspaceId, query)));
  const toVerdict = (vector: Float32Array, views: Float32Array[]) =>
    Math.max(...queries.map((query, i) => relevances[i]!(viewSimilarity(query, vector, views))));
  const stored = await readEmbeddings(
    db,
    workspaceId,
    embedder.id,
    hits.map(({ chunk }) => chunk.number),
  );
  const verdicts = new Map<number, number>();
  const withoutViews = new Map<number, Float32Array>();
  for (const [place, { chunk }] of hits.entries()) {
    const { vector, views } = stored.get(chunk.number) ?? { vector: null, views: null };
    if (vector && views) verdicts.set(place, toVerdict(vector, views));
    else if (vector) withoutViews.set(place, vector);
  }
  if (onlyStored || withoutViews.size === 0) return { verdicts, failure: undefined };
  // Chunks that were indexed before views were stored: their media is read.
  const judge = async (place: number) => {
    const views = await withMediaSpan(assets, workspaceId, hits[place] as EngineHit, (span) =>
      runWhenFree(queryPool, workspaceId, { kind: 'views', span, embedder: embedder.reference }, deadline),
    );
    const vector = withoutViews.get(place) as Float32Array;
    return toVerdict(
      vector,
      views.map((view) => Float32Array.from(view)),
    );
  };
  const read = await whileWaiting(() => judgeInOrder([...withoutViews.keys()], judge, 1, deadline));
  return { verdicts: new Map([...verdicts, ...read.verdicts]), failure: read.failure };
}
