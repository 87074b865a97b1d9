import { ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { allFilters } from '../../../contract/fields.ts';
import type { SearchMediaResponse } from '../../api/generated/api/index.ts';
import { useNamesOf } from '../../api/labels.ts';
import { byField, describeLimit, type FieldFilters } from '../../lib/filter-url.ts';
import { toUrlParameters } from '../../lib/saved-parameters.ts';

type Condition = NonNullable<SearchMediaResponse['meta']['conditions']>[number];

/** The filters that a condition stands for, as the URL has them. */
export const filtersInUrl = (parameters: Condition['parameters']): Record<string, string> =>
  toUrlParameters(
    'search',
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
  );

/**
 * What the words of a search say of which items are meant, below them: filters, and what may be a description as well, which is preferred.
 * @param onRemove its words are words of the description again
 * @param onFilter what is preferred becomes a filter
 */
export const ConditionChips = ({
  conditions,
  onRemove,
  onFilter,
}: {
  conditions: Condition[];
  onRemove: (condition: Condition) => void;
  onFilter: (condition: Condition) => void;
}) => (
  <ul aria-label="Understood as" className="mb-3 flex flex-wrap items-center gap-1.5">
    {conditions.map((condition) => (
      <li
        key={`${condition.start} ${condition.field} ${JSON.stringify(condition.parameters)}`}
        className={`inline-flex h-8 items-center rounded-full pl-3 text-label pointer-coarse:h-11 ${condition.certain ? 'bg-accent-soft' : 'border border-line'}`}
      >
        <span className="inline-flex items-center gap-1 whitespace-nowrap">
          {condition.certain ? null : <span className="text-quiet">prefers</span>} <Meaning condition={condition} />
        </span>
        {condition.certain ? null : (
          <ChipButton label={`Only “${condition.text}” as a filter`} onClick={() => onFilter(condition)}>
            <ListFilter className="size-3.5" aria-hidden />
          </ChipButton>
        )}
        <ChipButton label={`Search for “${condition.text}” as words`} onClick={() => onRemove(condition)}>
          <X className="size-3.5" aria-hidden />
        </ChipButton>
      </li>
    ))}
  </ul>
);

const ChipButton = ({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className="grid h-full w-8 place-items-center rounded-full text-quiet hover:text-ink pointer-coarse:w-11"
  >
    {children}
  </button>
);

/** A condition in words: its field and what that is limited to. */
function Meaning({ condition: { field, parameters } }: { condition: Condition }) {
  if (field === 'said' || field === 'shown') {
    return <Value label={field === 'said' ? 'Said' : 'On screen'} text={parameters.words ?? ''} />;
  }
  const of = byField(allFilters.filter(({ parameter }) => Object.hasOwn(parameters, parameter)));
  const [first] = of;
  if (!first) return null;
  const search = new URLSearchParams(filtersInUrl(parameters));
  const isLabel = first.field.kind === 'label' || first.field.kind === 'labels';
  return isLabel ? (
    <LabelValue of={first} search={search} />
  ) : (
    <Value label={first.label} text={describeLimit(first, search, () => undefined)} />
  );
}

/** Names come by another request: until then the field alone is said. */
function LabelValue({ of, search }: { of: FieldFilters; search: URLSearchParams }) {
  const { data } = useNamesOf(of.filters[0]?.name ?? '');
  return (
    <Value
      label={of.label}
      text={data ? describeLimit(of, search, (id) => data.find((label) => label.id === id)?.name) : '…'}
    />
  );
}

const Value = ({ label, text }: { label: string; text: string }) => (
  <>
    <span className="text-quiet">{label}:</span> <span className="max-w-48 truncate font-medium">{text}</span>
  </>
);
