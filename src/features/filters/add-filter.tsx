import { Command } from 'cmdk';
import {
  ArrowUpDown,
  CalendarDays,
  ChevronLeft,
  ChevronRight,
  CircleDot,
  type LucideIcon,
  MapPin,
  SlidersHorizontal,
  Tag,
  Tags,
  TextCursorInput,
} from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { type FieldFilters, isLimited, withoutFilters } from '../../lib/filter-url.ts';
import { AnchoredPanel } from '../../ui/anchored-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { commandInput, commandItem } from '../../ui/label-combobox.tsx';
import { Count, FieldEditor, keyOf } from './field-editor.tsx';
import type { ChangeFilters } from './filter-bar.tsx';
import { matchFilters } from './match-filters.ts';
import type { Offer } from './offers.ts';
import { useSources } from './use-sources.ts';

/** Every filter and every value, found by typing a part of its name. A filter leads to its values. */
export function AddFilter({
  anchor,
  fields,
  search,
  onChange,
  onClose,
}: {
  anchor: RefObject<HTMLElement | null>;
  fields: readonly FieldFilters[];
  search: URLSearchParams;
  onChange: ChangeFilters;
  onClose: () => void;
}) {
  const sources = useSources(search);
  const [chosen, setChosen] = useState<FieldFilters | null>(null);
  const change = (changes: Offer['changes']) => {
    onClose();
    onChange(changes);
  };
  return (
    <AnchoredPanel anchor={anchor} label={chosen?.label ?? 'Add filter'} onClose={onClose}>
      {chosen ? (
        <Step key={chosen.label} onBack={() => setChosen(null)}>
          <Button variant="quiet" size="small" className="m-1.5" onClick={() => setChosen(null)}>
            <ChevronLeft aria-hidden />
            All filters
          </Button>
          <FieldEditor
            of={chosen}
            search={search}
            sources={sources}
            onChange={onChange}
            onRemove={isLimited(chosen, search) ? () => change(withoutFilters(chosen.filters)) : undefined}
            onDone={onClose}
          />
        </Step>
      ) : (
        <Step key="all">
          <Everything
            fields={fields}
            sources={sources}
            onField={setChosen}
            onValue={({ changes }) => change(changes)}
          />
        </Step>
      )}
    </AnchoredPanel>
  );
}

/** All filters, or in their place the values of one. It takes the focus from what it replaces; Backspace in an empty field leads back. */
function Step({ onBack, children }: { onBack?: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Keys on the screen come when a field is touched.
    const field = window.matchMedia('(pointer: fine)').matches ? ref.current?.querySelector('input') : null;
    (field ?? ref.current)?.focus();
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a key of the fields in it
    <div
      ref={ref}
      role="group"
      tabIndex={-1}
      className="outline-none"
      onKeyDown={({ key, target }) => {
        if (key === 'Backspace' && target instanceof HTMLInputElement && target.value === '') onBack?.();
      }}
    >
      {children}
    </div>
  );
}

const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-quiet';

function Everything({
  fields,
  sources,
  onField,
  onValue,
}: {
  fields: readonly FieldFilters[];
  sources: ReturnType<typeof useSources>;
  onField: (of: FieldFilters) => void;
  onValue: (offer: Offer) => void;
}) {
  const [typed, setTyped] = useState('');
  const found = matchFilters(typed, fields, sources);
  return (
    <Command label="Add filter" shouldFilter={false} loop>
      <Command.Input
        value={typed}
        onValueChange={setTyped}
        maxLength={200}
        placeholder="Filter by name, tag, date…"
        className={commandInput}
      />
      <Command.List
        className="max-h-[calc(var(--radix-popover-content-available-height)-3.5rem)] overflow-y-auto p-1.5 max-sm:max-h-none"
        label="Filters"
      >
        {found.fields.length > 0 ? (
          <Command.Group heading="Filters" className={groupClass}>
            {found.fields.map((of) => (
              <Command.Item
                key={of.label}
                value={`field ${of.label}`}
                onSelect={() => onField(of)}
                className={commandItem}
              >
                <FieldIcon kind={of.field.kind} />
                <span className="min-w-0 flex-1 truncate">{of.label}</span>
                <ChevronRight className="size-4 text-quiet" aria-hidden />
              </Command.Item>
            ))}
          </Command.Group>
        ) : null}
        <Values offers={found.values} onChoose={onValue} />
        {found.fields.length + found.values.length === 0 ? (
          <p role="status" className="px-2 py-3 text-quiet">
            {sources.loading ? 'Loading…' : 'No filter or value matches.'}
          </p>
        ) : null}
      </Command.List>
    </Command>
  );
}

/** By what the values of a field are. */
const icons: Record<FieldFilters['field']['kind'], LucideIcon> = {
  choice: CircleDot,
  label: Tag,
  labels: Tags,
  number: SlidersHorizontal,
  text: TextCursorInput,
  time: CalendarDays,
  position: MapPin,
  sorted: ArrowUpDown,
};

function FieldIcon({ kind }: { kind: FieldFilters['field']['kind'] }) {
  const Icon = icons[kind];
  return <Icon className="size-4 shrink-0 text-quiet" aria-hidden />;
}

const Values = ({ offers, onChoose }: { offers: readonly Offer[]; onChoose: (offer: Offer) => void }) =>
  offers.length === 0 ? null : (
    <Command.Group heading="Values" className={groupClass}>
      {offers.map((offer) => (
        <Command.Item key={keyOf(offer)} value={keyOf(offer)} onSelect={() => onChoose(offer)} className={commandItem}>
          <span className="min-w-0 flex-1 truncate">
            <span className="text-quiet">{offer.of.label}:</span> {offer.text}
          </span>
          <Count of={offer} />
        </Command.Item>
      ))}
    </Command.Group>
  );
