import { X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, Suspense, useRef, useState } from 'react';
import { useNamesOf } from '../../api/labels.ts';
import { lazyPart } from '../../api/parts.ts';
import { describeLimit, type FieldFilters, withoutFilters } from '../../lib/filter-url.ts';
import { describeFolderShortly } from '../../lib/folders.ts';
import type { ChangeFilters } from './filter-bar.tsx';

/** Loaded when a chip is pressed. */
const ChipEditor = lazyPart(async () => (await import('./chip-editor.tsx')).ChipEditor);

/**
 * A filter that is set, such as `Creator: Ana`. A click opens its editor in place; its cross, Backspace and Delete take it away.
 * @param fallback what gets the focus when no other chip is left
 */
export function FilterChip({
  of,
  search,
  fallback,
  onChange,
}: {
  of: FieldFilters;
  search: URLSearchParams;
  fallback: RefObject<HTMLElement | null>;
  onChange: ChangeFilters;
}) {
  const chip = useRef<HTMLLIElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [editing, setEditing] = useState(false);
  const remove = () => {
    // Before it goes: what has the focus then would be gone with it.
    const next = chip.current?.nextElementSibling ?? chip.current?.previousElementSibling;
    (next?.querySelector('button') ?? fallback.current)?.focus();
    onChange(withoutFilters(of.filters));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What is typed into the editor arrives here too, though it is not within the chip on the page.
    if (!chip.current?.contains(event.target as Node) || !['Backspace', 'Delete'].includes(event.key)) return;
    event.preventDefault();
    remove();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of both of its buttons
    <li
      ref={chip}
      onKeyDown={onKeyDown}
      className="inline-flex h-8 shrink-0 items-center rounded-full bg-accent-soft text-label pointer-coarse:h-11"
    >
      <EditButton ref={button} of={of} search={search} open={editing} onOpen={setEditing} />
      <button
        type="button"
        aria-label={`Remove filter ${of.label}`}
        title="Remove"
        onClick={remove}
        className="grid h-full w-8 place-items-center rounded-r-full text-quiet hover:text-ink pointer-coarse:w-11"
      >
        <X className="size-3.5" aria-hidden />
      </button>
      {editing ? (
        <Suspense>
          <ChipEditor
            anchor={button}
            of={of}
            search={search}
            onChange={onChange}
            onRemove={() => {
              setEditing(false);
              remove();
            }}
            onClose={() => setEditing(false)}
          />
        </Suspense>
      ) : null}
    </li>
  );
}

/** Says what the filter is set to, and opens its editor. */
function EditButton({
  ref,
  of,
  search,
  open,
  onOpen,
}: {
  ref: RefObject<HTMLButtonElement | null>;
  of: FieldFilters;
  search: URLSearchParams;
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const Value = of.field.kind === 'label' || of.field.kind === 'labels' ? LabelValue : PlainValue;
  return (
    <button
      ref={ref}
      type="button"
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={() => onOpen(!open)}
      className="inline-flex h-full items-center gap-1 rounded-l-full pr-1 pl-3 text-left whitespace-nowrap hover:text-accent"
    >
      <span className="text-quiet">{of.label}:</span> <Value of={of} search={search} />
    </button>
  );
}

const valueClass = 'max-w-48 truncate font-medium';

const PlainValue = ({ of, search }: { of: FieldFilters; search: URLSearchParams }) => {
  const text = describeLimit(of, search, () => undefined);
  const [filter] = of.filters;
  return (
    <span className={valueClass} title={text}>
      {filter?.operator === 'within' ? describeFolderShortly(search.get(filter.url) ?? '') : text}
    </span>
  );
};

/** The name of a label, for which there is room before it is known. A link or a saved search may name one that is gone: then this says why nothing is found. */
function LabelValue({ of, search }: { of: FieldFilters; search: URLSearchParams }) {
  const { data, isPending } = useNamesOf(of.filters[0]?.name ?? '');
  if (isPending) {
    return <span role="status" aria-label="Loading" className="h-3 w-16 animate-pulse rounded-full bg-line" />;
  }
  const text = describeLimit(of, search, (id) => data?.find((label) => label.id === id)?.name);
  return (
    <span className={`${valueClass} min-w-16`} title={text}>
      {text}
    </span>
  );
}
