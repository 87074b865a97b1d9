import { DateFilter } from './date-filter.tsx';
import { readDates } from './date-range.ts';
import { GroupFilters } from './group-filters.tsx';
import { LabelFilters } from './label-filters.tsx';
import { readType } from './library-search.ts';
import { TypeChoice } from './type-choice.tsx';

/** Which items are searched: the filters of the library that searches have too. */
export const ItemFilters = ({
  search,
  onChange,
}: {
  search: URLSearchParams;
  onChange: (changes: Record<string, string | undefined>, how?: { replace: boolean }) => void;
}) => (
  <>
    <TypeChoice value={readType(search)} onChange={(type) => onChange({ type })} />
    <LabelFilters
      creator={search.get('creator')}
      category={search.get('category')}
      onChange={(name, id) => onChange({ [name]: id })}
    />
    <GroupFilters
      collection={search.get('collection')}
      tag={search.get('tag')}
      onChange={(name, id) => onChange({ [name]: id })}
    />
    <DateFilter range={readDates(search)} onChange={({ from, to }) => onChange({ from, to }, { replace: true })} />
  </>
);
