import { queryOptions } from '@tanstack/react-query';
import { listConceptsOptions, listMediaOptions } from './generated/api/index.ts';

/** The first items whose name holds a text. */
export const itemsByNameOptions = (q: string, count: number) =>
  queryOptions({
    ...listMediaOptions({ query: { q, per_page: count } }),
    select: ({ data }) => data,
    staleTime: 30_000,
  });

/** What is often found in the library. */
export const conceptsOptions = (n: number) =>
  queryOptions({ ...listConceptsOptions({ query: { n } }), staleTime: 5 * 60_000 });
