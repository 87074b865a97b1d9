import { useEffect, useState } from 'react';
import { commandInput } from '../../ui/label-combobox.tsx';
import type { EditorProps } from './filter-bar.tsx';

/** Milliseconds between the last keystroke and the next request for the list. */
const typingPauseMs = 250;

/** The text that names are looked through for, as one types. */
export function NameEditor({ of: { label, filters }, search, onChange, onRemove, onDone }: EditorProps) {
  const url = filters[0]?.url ?? '';
  const current = search.get(url) ?? '';
  const [text, setText] = useState(current);
  const wanted = text.trim();
  // An empty text takes the filter away with what it is edited in: not before one is done.
  const isChanged = wanted !== current && wanted !== '';
  useEffect(() => {
    if (!isChanged) return undefined;
    const timer = setTimeout(() => onChange({ [url]: wanted }, { replace: true }), typingPauseMs);
    return () => clearTimeout(timer);
  }, [isChanged, url, wanted, onChange]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) onChange({ [url]: wanted }, { replace: true });
        (wanted === '' && onRemove ? onRemove : onDone)();
      }}
    >
      <input
        type="search"
        aria-label={`${label} contains`}
        placeholder={`${label} contains…`}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        className={`${commandInput} border-b-0`}
      />
    </form>
  );
}
