import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { FieldFilters } from '../../lib/filter-url.ts';
import { formatCount } from '../../lib/format.ts';
import { commandInput, commandItem } from '../../ui/label-combobox.tsx';
import { AreaFields } from './area-fields.tsx';
import { DateFields } from './date-fields.tsx';
import type { EditorProps } from './filter-bar.tsx';
import { FolderEditor } from './folder-editor.tsx';
import { matchFilters } from './match-filters.ts';
import { NameEditor } from './name-editor.tsx';
import { NumberFields } from './number-fields.tsx';
import { type Offer, offersOf, type Sources } from './offers.ts';

type FieldEditorProps = EditorProps & { sources: Sources & { loading: boolean } };

/** From so many values on they are found by typing. */
const typedFrom = 8;
/** Most that are listed; typing finds the others. */
const maxListed = 50;

/** All values of one filter, the one that is set with a check; a date and a number have a range of one's own too. */
export function FieldEditor(props: FieldEditorProps) {
  const { of, search, onChange } = props;
  const { kind } = of.field;
  if (of.filters.some(({ operator }) => operator === 'within')) return <FolderEditor {...props} />;
  // Names of files differ for each item: there is nothing to choose from.
  if (kind === 'text' && of.field.listOnly) return <NameEditor {...props} />;
  if (kind === 'position') return <AreaFields {...props} />;
  return (
    <>
      <Values {...props} />
      {kind === 'number' ? <NumberFields {...props} /> : null}
      {kind === 'time' ? <DateFields of={of} search={search} onChange={onChange} /> : null}
    </>
  );
}

function Values({ of, search, sources, onChange, onRemove, onDone }: FieldEditorProps) {
  const [typed, setTyped] = useState('');
  const offers = offersOf(of, sources);
  const found = typed.trim() === '' ? offers : matchFilters(typed, [of], sources).values;
  const isLong = of.field.kind === 'text' || (offers.length >= typedFrom && of.field.kind !== 'time');
  const choose = (offer: Offer) => {
    onChange(offer.changes);
    onDone();
  };
  return (
    <Command label={of.label} shouldFilter={false} loop>
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        placeholder={of.field.kind === 'text' ? `${of.label} contains…` : `Find a ${of.label.toLowerCase()}`}
        // Few values need no field to be seen, but arrows and letters do.
        className={isLong ? commandInput : 'sr-only'}
      />
      <Command.List className="max-h-72 overflow-y-auto p-1.5 max-sm:max-h-none" label={of.label}>
        {onRemove && 'any' in of.field && typed === '' ? (
          <Command.Item value="any" onSelect={onRemove} className={commandItem}>
            <span className="size-4" />
            <span className="text-quiet">{of.field.any}</span>
          </Command.Item>
        ) : null}
        {found.slice(0, maxListed).map((offer) => (
          <Command.Item
            key={keyOf(offer)}
            value={keyOf(offer)}
            aria-checked={isSet(offer, search)}
            onSelect={() => choose(offer)}
            className={commandItem}
          >
            <Check className={isSet(offer, search) ? 'size-4' : 'invisible size-4'} aria-hidden />
            <span className="min-w-0 flex-1 truncate" title={offer.text}>
              {offer.text}
            </span>
            <Count of={offer} />
          </Command.Item>
        ))}
        <Rest of={of} found={found.length} any={offers.length > 0} loading={sources.loading} />
      </Command.List>
    </Command>
  );
}

/** What is said below the values. */
function Rest({ of, found, any, loading }: { of: FieldFilters; found: number; any: boolean; loading: boolean }) {
  if (found > maxListed) {
    return <p className="px-2 py-2 text-xs text-quiet">{formatCount(found - maxListed)} more: type to find them.</p>;
  }
  if (found > 0) return null;
  const name = of.label.toLowerCase();
  return (
    <p role="status" className="px-2 py-3 text-quiet">
      {any ? `No ${name} matches.` : loading ? 'Loading…' : `There is no ${name} yet.`}
    </p>
  );
}

/** How many items of the workspace have a value, where that is known. */
export const Count = ({ of: { count } }: { of: Offer }) =>
  count === undefined ? null : <span className="text-xs text-quiet tabular-nums">{formatCount(count)}</span>;

/** Tells the values of a list apart. */
export const keyOf = ({ of, changes }: Offer): string => `${of.label} ${JSON.stringify(Object.values(changes))}`;

/** Whether a URL has a value. */
const isSet = ({ changes }: Offer, search: URLSearchParams): boolean =>
  Object.entries(changes).every(([url, value]) => (search.get(url) || undefined) === value);
