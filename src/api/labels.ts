import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  type Creator,
  listCategories,
  listCategoriesOptions,
  listCreators,
  listCreatorsOptions,
} from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

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

type Option = { value: string; text: string };

const toOptions = (labels: Pick<Creator, 'id' | 'name'>[] | undefined): Option[] =>
  (labels ?? []).map(({ id, name }) => ({ value: id, text: name }));

/** The creators and categories of the workspace as choices; none until they have been read. */
export const useLabelOptions = (): { creators: Option[]; categories: Option[] } => ({
  creators: toOptions(useQuery(creatorsOptions).data),
  categories: toOptions(useQuery(categoriesOptions).data),
});
