import { queryOptions } from '@tanstack/react-query';
import type { DescribedQuery } from './request.ts';

/** The most entries that the API gives on a page. */
export const maxPerPage = 100;

type Page<Entry> = { data: Entry[]; meta: { has_more: boolean } };

/** Reads a list to its last page. */
export async function readAllPages<Entry>(read: (page: number) => Promise<Page<Entry>>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await read(page);
    entries.push(...data);
    if (!meta.has_more) return entries;
  }
}

/**
 * Options of a query for all entries of a list.
 * @param list the generated options of the list, which give the key
 * @param read the generated function that reads a page of it
 */
export const wholeListOptions = <Entry>(
  { queryKey, meta = {} }: DescribedQuery,
  read: (options: { query: { page: number; per_page: number }; signal: AbortSignal }) => Promise<Page<Entry>>,
) =>
  queryOptions({
    queryKey,
    meta,
    queryFn: ({ signal }) => readAllPages((page) => read({ query: { page, per_page: maxPerPage }, signal })),
  });
