import type { EngineHit } from './hits.ts';
import type { SearchContext } from './search-context.ts';

/** Adds the passages that matched to the hits found by their texts. */
export async function addExcerpts({ texts, index, text }: SearchContext, hits: EngineHit[]): Promise<EngineHit[]> {
  const { workspaceId } = index;
  const found = hits.filter(({ signals }) => signals.terms).map(({ chunk }) => chunk.number);
  if (found.length === 0) return hits;
  const excerpts = await texts.excerpts(workspaceId, { any: text.terms }, found);
  // Only if no complete word matched: a prefix takes many times as long.
  const rest = found.filter((number) => !excerpts.has(number));
  if (text.prefix !== null && rest.length > 0) {
    const more = await texts.excerpts(workspaceId, { prefix: text.prefix }, rest);
    for (const [number, excerpt] of more) excerpts.set(number, excerpt);
  }
  return hits.map((hit) => {
    const excerpt = excerpts.get(hit.chunk.number);
    return excerpt ? { ...hit, signals: { ...hit.signals, excerpt } } : hit;
  });
}
