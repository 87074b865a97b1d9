import { type Expression, isPlain } from '@media-search/search-engine/text/expression';
import type { z } from 'zod';
import type { searchMeta, searchQuery } from '../../../contract/search.ts';
import { findChunksById, listChunkNumbers } from '../../catalog/media/chunks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { validationError } from '../../errors/api-error.ts';
import type { ImageSource } from '../../search/query-images/embed-image-query.ts';
import type { Composition } from '../../search/rerank/search-and-rerank.ts';

/**
 * What a search by words joins; null where it is one description alone, which is searched for with all that a search by words can do. Throws
 * `validation_error` for a chunk that does not exist.
 */
export async function toComposition(
  db: Catalog,
  workspaceId: string,
  expression: Expression,
  like: z.output<typeof searchQuery>['like'],
): Promise<Composition | null> {
  if (like === undefined) return isPlain(expression) ? null : { expression, like: null };
  const [chunk] = await findChunksById(db, workspaceId, [like]);
  if (!chunk) throw validationError([{ path: 'query.like', message: 'names no chunk of this workspace' }]);
  const source = { kind: 'media' as const, mediaId: chunk.media_id, at: undefined, chunkId: chunk.id };
  return { expression, like: { source, leftOut: [chunk.number] } };
}

/** What hits are to be like: an image, and of an item of the workspace the chunks that it is, which are no hits. */
export async function toLike(
  db: Catalog,
  workspaceId: string,
  source: ImageSource,
): Promise<NonNullable<Composition['like']>> {
  if (source.kind !== 'media' || source.at !== undefined) return { source, leftOut: [] };
  if (source.chunkId === undefined) return { source, leftOut: await listChunkNumbers(db, workspaceId, source.mediaId) };
  const chunks = await findChunksById(db, workspaceId, [source.chunkId]);
  return { source, leftOut: chunks.map(({ number }) => number) };
}

/** How an expression was understood, as `meta` says it: nothing of a description alone. */
export function describeExpression(expression: Expression): Pick<z.output<typeof searchMeta>, 'expression'> {
  if (isPlain(expression)) return {};
  const { steps, within } = expression;
  return { expression: { steps, ...(steps.length > 1 ? { within } : {}) } };
}
