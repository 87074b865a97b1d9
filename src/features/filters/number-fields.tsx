import { useId, useState } from 'react';
import type { Filter } from '../../../contract/fields.ts';
import { Button } from '../../ui/button.tsx';
import type { EditorProps } from './filter-bar.tsx';

type NumberField = Extract<Filter['field'], { kind: 'number' }>;

/** The number in a field of text; undefined where it is empty, null where it is none that the filter takes. */
function readNumber(text: string, { least, most, integer }: NumberField): number | null | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text.trim().replace(',', '.'));
  return value >= least && value <= most && (!integer || Number.isInteger(value)) ? value : null;
}

/** What is wrong with two bounds, in a sentence; null where nothing is. */
function findProblem(field: NumberField, min: number | null | undefined, max: number | null | undefined) {
  if (min === null || max === null) {
    const what = field.integer ? 'Whole numbers' : 'Numbers';
    return field.most >= 1_000_000
      ? `${what} from ${field.least} on.`
      : `${what} from ${field.least} to ${field.most}.`;
  }
  return min !== undefined && max !== undefined && min > max ? 'The first is the smaller one.' : null;
}

/** A range of a number by its bounds. */
export function NumberFields({ of: { field, filters }, search, onChange, onRemove, onDone }: EditorProps) {
  const id = useId();
  const [texts, setTexts] = useState<Record<string, string>>(
    Object.fromEntries(filters.map(({ url }) => [url, search.get(url) ?? ''])),
  );
  if (field.kind !== 'number') return null;
  const valueOf = (operator: Filter['operator']) =>
    readNumber(texts[filters.find((filter) => filter.operator === operator)?.url ?? ''] ?? '', field);
  const problem = findProblem(field, valueOf('min'), valueOf('max'));
  return (
    <form
      className="border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem !== null) return;
        const values = filters.map(({ url }) => [url, texts[url]?.trim().replace(',', '.') || undefined] as const);
        if (onRemove && values.every(([, value]) => value === undefined)) {
          onRemove();
          return;
        }
        onChange(Object.fromEntries(values));
        onDone();
      }}
    >
      <div className="flex items-end gap-2">
        {filters.map(({ url, operator }) => (
          <label key={url} className="min-w-0 flex-1 text-label text-quiet">
            {operator === 'min' ? 'At least' : 'At most'}
            <span className="sr-only">, {field.unit}</span>
            <input
              inputMode="decimal"
              autoComplete="off"
              value={texts[url] ?? ''}
              aria-invalid={problem !== null}
              aria-describedby={`${id}-note`}
              onChange={({ target }) => setTexts({ ...texts, [url]: target.value })}
              className="mt-1 h-9 w-full rounded-control border border-line bg-canvas px-2.5 text-ink aria-invalid:border-danger pointer-coarse:h-11"
            />
          </label>
        ))}
        <Button type="submit">Apply</Button>
      </div>
      <p id={`${id}-note`} className={problem === null ? 'mt-1.5 text-xs text-quiet' : 'mt-1.5 text-xs text-danger'}>
        {problem ?? `In ${field.unit}`}
      </p>
    </form>
  );
}
