import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import {
  type Creator,
  listCategories,
  listCategoriesOptions,
  listCreators,
  listCreatorsOptions,
} from './generated/api/index.ts';
import { collectionsOptions, tagsOptions } from './item-groups.ts';
import { sourcesOptions } from './sources.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** What people label items with. Of creators and categories an item has at most one. */
export type LabelKind = 'creator' | 'category' | 'collection' | 'tag';

export type Label = { id: string; name: string; media_count: number; description?: string };

/** All creators, by name. */
export const creatorsOptions = queryOptions({
  ...wholeListOptions(listCreatorsOptions({ query: { per_page: maxPerPage } }), listCreators),
  staleTime: 30_000,
});

/** All categories, by name. */
export const categoriesOptions = queryOptions({
  ...wholeListOptions(listCategoriesOptions({ query: { per_page: maxPerPage } }), listCategories),
  staleTime: 30_000,
});

/** How the labels of each kind are read. */
export const labelLists = {
  creator: creatorsOptions,
  category: categoriesOptions,
  collection: collectionsOptions,
  tag: tagsOptions,
};

/** All labels of a kind, by name. */
export const useLabels = (kind: LabelKind): UseQueryResult<Label[]> =>
  // The kinds differ in what else is known of a label.
  useQuery(labelLists[kind] as typeof categoriesOptions);

/** What a filter limits to, by the name of the filter: labels of a kind, or sources. */
export const useNamesOf = (filter: string): UseQueryResult<{ id: string; name: string }[]> =>
  useQuery((filter === 'source' ? sourcesOptions : labelLists[filter as LabelKind]) as typeof categoriesOptions);

type Option = { value: string; text: string };

const toOptions = (labels: Pick<Creator, 'id' | 'name'>[] | undefined): Option[] =>
  (labels ?? []).map(({ id, name }) => ({ value: id, text: name }));

/** The creators and categories of the workspace as choices; none until they have been read. */
export const useLabelOptions = (): { creators: Option[]; categories: Option[] } => ({
  creators: toOptions(useQuery(creatorsOptions).data),
  categories: toOptions(useQuery(categoriesOptions).data),
});
