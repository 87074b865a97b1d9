import { clsx } from 'clsx';
import { Plus, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type Ref, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Select } from '../../ui/select.tsx';
import { type Expression, type Joint, joinTo, listParts, takeFrom } from './expression-text.ts';

/** What joins a description to those before it. */
const joints: { value: Joint; text: string }[] = [
  { value: 'and', text: 'and' },
  { value: 'or', text: 'or' },
  { value: 'then', text: 'then' },
  { value: 'without', text: 'without' },
];

/**
 * What a search joins, with a chip for each description, and a line to join another. All of it is in the query, and so in the address.
 * @param expression how the service understood the query; undefined for one description
 * @param onClose closes the line, which `isAdding` opens
 */
export function ExpressionBar({
  query,
  expression,
  isAdding,
  onChange,
  onClose,
}: {
  query: string;
  expression: Expression | undefined;
  isAdding: boolean;
  onChange: (query: string) => void;
  onClose: () => void;
}) {
  const change = (changed: string) => {
    onChange(changed);
    // The chip or line that was used goes away.
    focusContent();
  };
  if (!expression && !isAdding) return null;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {expression ? (
        <ul aria-label="Descriptions" className="flex max-w-full flex-wrap items-center gap-2">
          {listParts(expression).map(({ key, part, joint }, place) => (
            <Chip key={key} part={part} joint={joint} onRemove={() => change(takeFrom(expression, place))} />
          ))}
        </ul>
      ) : null}
      {isAdding ? (
        <AddLine onAdd={(joint, words) => change(joinTo(query, expression, joint, words))} onClose={onClose} />
      ) : null}
    </div>
  );
}

/** Opens the line that joins another description. */
export const CombineButton = ({
  ref,
  isAdding,
  onClick,
}: {
  ref: Ref<HTMLButtonElement>;
  isAdding: boolean;
  onClick: () => void;
}) => (
  <Button
    ref={ref}
    size="small"
    variant={isAdding ? 'pressed' : 'quiet'}
    aria-expanded={isAdding}
    className="shrink-0"
    title="Combine with another description"
    onClick={onClick}
  >
    <Plus aria-hidden />
    <span className="max-sm:sr-only">Combine</span>
  </Button>
);

/** A description, after the word that joins it. Its cross, Backspace and Delete take it away. */
function Chip({ part, joint, onRemove }: { part: string; joint: Joint | null; onRemove: () => void }) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Backspace' && event.key !== 'Delete') return;
    event.preventDefault();
    onRemove();
  };
  return (
    <li className="flex min-w-0 items-center gap-2">
      {joint ? <span className={clsx('text-quiet', joint === 'then' && 'font-medium')}>{joint}</span> : null}
      <span className="inline-flex h-8 min-w-0 items-center rounded-full bg-accent-soft pl-3 text-label pointer-coarse:h-11">
        <span className="truncate">{part}</span>
        <button
          type="button"
          aria-label={`Remove “${part}”`}
          title="Remove"
          onClick={onRemove}
          onKeyDown={onKeyDown}
          className="grid h-full w-8 shrink-0 place-items-center rounded-r-full text-quiet hover:text-ink pointer-coarse:w-11"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      </span>
    </li>
  );
}

/** The line for one more description. Escape closes it. */
function AddLine({ onAdd, onClose }: { onAdd: (joint: Joint, words: string) => void; onClose: () => void }) {
  const [joint, setJoint] = useState<Joint>('and');
  const [words, setWords] = useState('');
  // Marks of its own would end the description.
  const description = words
    .replaceAll(/["“”„]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (description !== '') onAdd(joint, description);
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 items-center gap-2 max-sm:basis-full">
      <Select label="How it is joined" hideLabel value={joint} options={joints} onChange={setJoint} />
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to be typed into
        autoFocus
        aria-label="Another description"
        placeholder="Another description…"
        maxLength={200}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
        }}
        className="h-8 min-w-0 flex-1 rounded-control border border-line bg-surface px-2.5 placeholder:text-quiet sm:w-56 pointer-coarse:h-11"
      />
      <Button type="submit" size="small" disabled={description === ''}>
        Search
      </Button>
    </form>
  );
}
