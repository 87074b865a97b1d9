import { clsx } from 'clsx';
import { type KeyboardEvent, useRef, useState } from 'react';

const field = 'w-full rounded-control border border-accent bg-canvas px-1.5 font-[inherit] outline-none';

/**
 * A text that becomes a field when it is pressed. Enter or leaving it saves, Escape takes back; of several lines Enter begins a new one, and Ctrl and
 * Enter saves. Long texts show their first line until they are opened.
 * @param onSave gets what was typed; what it rejects with keeps the old text
 */
export function EditableText({
  label,
  value,
  placeholder = '',
  maxLength,
  multiline = false,
  required = false,
  onSave,
}: {
  label: string;
  value: string;
  placeholder?: string;
  maxLength: number;
  multiline?: boolean;
  required?: boolean;
  onSave: (text: string) => Promise<void>;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [draft, setDraft] = useState<string | null>(null);
  // What was saved is shown until it is read again.
  const [saving, setSaving] = useState<string | null>(null);
  const shown = saving ?? value;
  const end = (byKey: boolean) => {
    setDraft(null);
    // Its button is there again after this.
    if (byKey) setTimeout(() => button.current?.focus());
  };
  const save = (byKey: boolean) => {
    if (draft === null) return;
    const text = draft.trim();
    end(byKey);
    if (text === value || (required && text === '')) return;
    setSaving(text);
    onSave(text)
      .catch(() => undefined)
      .finally(() => setSaving(null));
  };
  const props = {
    value: draft ?? '',
    maxLength,
    'aria-label': label,
    onBlur: () => save(false),
    onChange: ({ target }: { target: { value: string } }) => setDraft(target.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        event.preventDefault();
        end(true);
      } else if (event.key === 'Enter' && (!multiline || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        save(true);
      }
    },
  };
  const focus = (element: HTMLInputElement | HTMLTextAreaElement | null) => {
    if (element && element !== document.activeElement) element.focus();
  };
  if (draft !== null) {
    return multiline ? (
      <textarea ref={focus} rows={4} className={clsx(field, 'block py-1 leading-relaxed')} {...props} />
    ) : (
      <input ref={focus} className={field} {...props} />
    );
  }
  return (
    <button
      ref={button}
      type="button"
      disabled={value === '' && placeholder === ''}
      title={shown === '' ? undefined : shown}
      aria-description={`Edit ${label.toLowerCase()}`}
      onClick={() => setDraft(shown)}
      className={clsx(
        '-mx-1.5 block min-h-7 max-w-full truncate rounded-control border border-transparent px-1.5 text-left font-[inherit] transition-colors duration-quick enabled:hover:bg-raised pointer-coarse:min-h-11',
        shown === '' && 'italic',
      )}
    >
      {shown === '' ? placeholder : shown}
    </button>
  );
}
