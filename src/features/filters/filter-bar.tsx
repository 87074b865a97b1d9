import { ListFilter } from 'lucide-react';
import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import { allFilters, itemFilters } from '../../../contract/fields.ts';
import { lazyPart } from '../../api/parts.ts';
import { byField, type FieldFilters, isLimited, withConsequences, withoutFilters } from '../../lib/filter-url.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { FilterChip } from './filter-chip.tsx';
import type { Changes } from './offers.ts';

/** Loaded when it is opened. */
const AddFilter = lazyPart(async () => (await import('./add-filter.tsx')).AddFilter);

/** What an editor of one filter works with. */
export type EditorProps = {
  of: FieldFilters;
  search: URLSearchParams;
  onChange: ChangeFilters;
  /** Takes the filter away; undefined where it is not set. */
  onRemove: (() => void) | undefined;
  /** A value was chosen. */
  onDone: () => void;
};

export type ChangeFilters = (changes: Changes, how?: { replace: boolean }) => void;

/**
 * What a list is limited to, in one row that keeps its height: a button that adds any filter of the table of fields, a chip for each that is
 * set, and at the end what the page has besides. Where the chips have no room they are scrolled to the side.
 * @param listed whether items are listed: then all filters are there
 * @param except the parameter of a filter that the page itself sets
 * @param choices what the list is made from besides, in front of the chips
 * @param children how it is shown: order, view
 */
export function FilterBar({
  search,
  listed = false,
  except,
  choices,
  onChange: change,
  children,
}: {
  search: URLSearchParams;
  listed?: boolean;
  except?: string | undefined;
  choices?: ReactNode;
  onChange: ChangeFilters;
  children?: ReactNode;
}) {
  const addButton = useRef<HTMLButtonElement>(null);
  const fields = byField((listed ? allFilters : itemFilters).filter(({ parameter }) => parameter !== except));
  const onChange: ChangeFilters = (changes, how) => change(withConsequences(changes, search), how);
  const limited = fields.filter((of) => isLimited(of, search));
  const clear = () => {
    addButton.current?.focus();
    onChange(withoutFilters(limited.flatMap(({ filters }) => filters)));
  };
  return (
    <section aria-label="Filters" className="mb-4 flex h-11 items-center gap-2">
      <AddButton ref={addButton} fields={fields} search={search} onChange={onChange} />
      {/* The padding gives the outline of a focused chip room, which scrolling would cut off; what goes on behind the end fades. */}
      <div className="relative -my-1 flex min-w-0 flex-1 [scrollbar-width:none] items-center gap-2 overflow-x-auto mask-r-from-[calc(100%-1.5rem)] py-1 pr-6 pl-1">
        {/* On a phone what limits the list comes first: the rest is scrolled to. */}
        {choices ? <div className="flex items-center gap-2 max-sm:order-last">{choices}</div> : null}
        <ul aria-label="Active filters" className="flex items-center gap-1.5 empty:hidden">
          {limited.map((of) => (
            <FilterChip key={of.label} of={of} search={search} fallback={addButton} onChange={onChange} />
          ))}
        </ul>
        {limited.length > 1 ? (
          <Button size="small" variant="quiet" onClick={clear}>
            Clear all
          </Button>
        ) : null}
      </div>
      <div className="flex shrink-0 items-center gap-1">{children}</div>
    </section>
  );
}

/** Opens the list of all filters, as the key F does. */
function AddButton({
  ref,
  ...props
}: {
  ref: RefObject<HTMLButtonElement | null>;
  fields: FieldFilters[];
  search: URLSearchParams;
  onChange: ChangeFilters;
}) {
  const [open, setOpen] = useState(false);
  useKeys({ f: () => setOpen(true) });
  return (
    <>
      <Button
        ref={ref}
        size="small"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-keyshortcuts="f"
        title="Add a filter (F)"
        onClick={() => setOpen(!open)}
      >
        <ListFilter aria-hidden />
        Filter
      </Button>
      {open ? (
        <Suspense>
          <AddFilter {...props} anchor={ref} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
