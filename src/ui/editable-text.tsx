import { clsx } from 'clsx';
import { type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';

const field = 'w-full rounded-control border border-accent bg-canvas px-1.5 font-[inherit] outline-none';

type EditableTextProps = {
  label: string;
  value: string;
  /** Shown in the place of an empty text; without it an empty one cannot be changed. */
  placeholder?: string;
  maxLength: number;
  multiline?: boolean;
  required?: boolean;
  /** Gets what was typed; what it rejects with keeps the old text. */
  onSave: (text: string) => Promise<void>;
};

/**
 * A text that becomes a field when it is pressed. Enter or leaving it saves, Escape takes back; of several lines Enter begins a new one, and Ctrl and
 * Enter saves.
 */
export function EditableText({ label, placeholder = '', maxLength, multiline = false, ...text }: EditableTextProps) {
  const button = useRef<HTMLButtonElement>(null);
  const { shown, draft, begin, ...editing } = useEditing(text, multiline, button);
  if (draft === null) {
    return <TextButton ref={button} label={label} text={shown} placeholder={placeholder} onClick={begin} />;
  }
  const props = { value: draft, maxLength, 'aria-label': label, ...editing };
  return multiline ? (
    <textarea ref={takeFocus} rows={4} className={clsx(field, 'block py-1 leading-relaxed')} {...props} />
  ) : (
    <input ref={takeFocus} className={field} {...props} />
  );
}

function takeFocus(element: HTMLElement | null): void {
  if (element && element !== document.activeElement) element.focus();
}

/** The text while it is changed, and what keys do. */
function useEditing(
  { value, required = false, onSave }: Pick<EditableTextProps, 'value' | 'required' | 'onSave'>,
  multiline: boolean,
  button: RefObject<HTMLButtonElement | null>,
) {
  const [draft, setDraft] = useState<string | null>(null);
  // What was saved is shown until it is read again.
  const [saving, setSaving] = useState<string | null>(null);
  const shown = saving ?? value;
  const end = () => {
    setDraft(null);
    // Its button is there again after this.
    setTimeout(() => button.current?.focus());
  };
  const save = () => {
    const text = draft?.trim() ?? value;
    setDraft(null);
    if (text === value || (required && text === '')) return;
    setSaving(text);
    onSave(text)
      .catch(() => undefined)
      .finally(() => setSaving(null));
  };
  return {
    shown,
    draft,
    begin: () => setDraft(shown),
    onBlur: save,
    onChange: ({ target }: { target: { value: string } }) => setDraft(target.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        event.preventDefault();
        end();
      } else if (event.key === 'Enter' && (!multiline || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        save();
        end();
      }
    },
  };
}

/** Long texts show their first line. */
function TextButton({
  ref,
  label,
  text,
  placeholder,
  onClick,
}: {
  ref: RefObject<HTMLButtonElement | null>;
  label: string;
  text: string;
  placeholder: string;
  onClick: () => void;
}) {
  const id = useId();
  return (
    <>
      <button
        ref={ref}
        type="button"
        disabled={text === '' && placeholder === ''}
        title={text === '' ? undefined : text}
        aria-describedby={id}
        onClick={onClick}
        className={clsx(
          '-mx-1.5 block min-h-7 max-w-full truncate rounded-control border border-transparent px-1.5 text-left font-[inherit] transition-colors duration-quick enabled:hover:bg-raised pointer-coarse:min-h-11',
          text === '' && 'italic',
        )}
      >
        {text === '' ? placeholder : text}
      </button>
      <span id={id} hidden>
        Edit {label.toLowerCase()}
      </span>
    </>
  );
}
