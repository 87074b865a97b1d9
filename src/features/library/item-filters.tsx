import { allFilters, type Filter, itemFilters } from '../../../contract/fields.ts';
import { useGroups } from '../../api/item-groups.ts';
import { useLabelOptions } from '../../api/labels.ts';
import { readDates } from '../../lib/date-range.ts';
import { Choice } from '../../ui/choice.tsx';
import { Select } from '../../ui/select.tsx';
import { DateFilter } from './date-filter.tsx';
import { NumberFilter } from './number-filter.tsx';

type Change = (changes: Record<string, string | undefined>, how?: { replace: boolean }) => void;
type FilterProps<Kind extends Filter['field']['kind']> = {
  field: Extract<Filter['field'], { kind: Kind }>;
  filters: readonly Filter[];
  search: URLSearchParams;
  onChange: Change;
};

/** The kinds of filters in the order of their controls. */
const kinds = ['choice', 'label', 'labels', 'number', 'time'];

/**
 * The controls of the filters, from the table of fields.
 * @param listed whether items are listed: then all filters are there, without the one of names, which is typed
 * @param except the parameter of a filter that the page itself sets
 */
export function ItemFilters({
  search,
  listed = false,
  except,
  onChange,
}: {
  search: URLSearchParams;
  listed?: boolean;
  except?: string | undefined;
  onChange: Change;
}) {
  const shown = (listed ? allFilters : itemFilters).filter(({ parameter }) => parameter !== except);
  const byField = [...Map.groupBy(shown, ({ field }) => field)];
  return byField
    .toSorted(([a], [b]) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(([field, filters]) => {
      const common = { key: filters[0]?.parameter, filters, search, onChange };
      switch (field.kind) {
        case 'choice':
          return <ChoiceFilter {...common} key={common.key} field={field} />;
        case 'label':
        case 'labels':
          return <LabelFilter {...common} key={common.key} field={field} />;
        case 'number':
          return <NumberFilter {...common} key={common.key} field={field} />;
        case 'time':
          return (
            <DateFilter
              key={common.key}
              range={readDates(search)}
              onChange={({ from, to }) => onChange({ from, to }, { replace: true })}
            />
          );
        default:
          return null;
      }
    });
}

/** A row of buttons where there are few values, otherwise a list. */
function ChoiceFilter({ field, filters: [filter], search, onChange }: FilterProps<'choice'>) {
  if (!filter) return null;
  const options = Object.entries(field.options).map(([value, text]) => ({ value, text }));
  const label = filter.name.charAt(0).toUpperCase() + filter.name.slice(1);
  const value = options.find((option) => option.value === search.get(filter.url))?.value;
  if (options.length <= 2) {
    return (
      <Choice
        label={label}
        value={value}
        options={[{ value: undefined, text: field.any }, ...options]}
        onChange={(chosen) => onChange({ [filter.url]: chosen })}
      />
    );
  }
  return (
    <Select
      hideLabel
      label={label}
      value={value ?? ''}
      options={[{ value: '', text: field.any }, ...options]}
      onChange={(chosen) => onChange({ [filter.url]: chosen })}
      className="shrink-0"
    />
  );
}

/** The labels of a kind as choices. */
function useLabels(name: string): { value: string; text: string }[] {
  const { creators, categories } = useLabelOptions();
  const collections = useGroups('collections');
  const tags = useGroups('tags');
  if (name === 'creator') return creators;
  if (name === 'category') return categories;
  return (name === 'tag' ? tags : collections).map(({ id, name: text }) => ({ value: id, text }));
}

/** A choice of a label, shown only where the workspace has some of its kind. */
function LabelFilter({ field, filters: [filter], search, onChange }: FilterProps<'label' | 'labels'>) {
  const labels = useLabels(filter?.name ?? '');
  const value = search.get(filter?.url ?? '');
  if (!filter || (labels.length === 0 && value === null)) return null;
  // A link or a saved search may name one that is gone: then nothing is found, and this says why. While labels are being read none is known.
  const missingText = labels.length === 0 ? '…' : `Deleted ${filter.name}`;
  const missing = value && !labels.some((label) => label.value === value) ? [{ value, text: missingText }] : [];
  return (
    <Select
      hideLabel
      label={field.label}
      value={value ?? ''}
      options={[{ value: '', text: field.any }, ...missing, ...labels]}
      onChange={(id) => onChange({ [filter.url]: id })}
      // As wide as what is chosen: names may be long, and the row has many controls.
      className="shrink-0"
    />
  );
}
