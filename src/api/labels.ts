import { useQuery } from '@tanstack/react-query';
import type { Creator } from './generated/api.ts';
import { categoriesOptions, creatorsOptions } from './settings.ts';

type Option = { value: string; text: string };

const toOptions = (labels: Creator[] | undefined): Option[] =>
  (labels ?? []).map(({ id, name }) => ({ value: id, text: name }));

/** The creators and categories of the workspace as choices; none until they have been read. */
export const useLabelOptions = (): { creators: Option[]; categories: Option[] } => ({
  creators: toOptions(useQuery(creatorsOptions).data),
  categories: toOptions(useQuery(categoriesOptions).data),
});
