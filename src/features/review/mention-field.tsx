import { clsx } from 'clsx';
import { type KeyboardEvent, type Ref, useId, useRef, useState } from 'react';
import { findTypedName } from './threads.ts';

type Member = { id: string; name: string };

/** Most members that are offered at a time. */
const maxOffered = 6;

/**
 * A field for some lines of text. Behind an `@` it offers the members of the workspace: arrows choose, Enter or Tab takes, Escape leaves the text
 * as it is. Ctrl or Cmd with Enter sends.
 */
export function MentionField({
  label,
  value,
  members,
  onChange,
  onSubmit,
  onCancel,
  ref,
  ...props
}: {
  label: string;
  placeholder?: string;
  autoFocus?: boolean;
  value: string;
  members: readonly Member[];
  onChange: (value: string) => void;
  onSubmit: () => void;
  onCancel?: () => void;
  ref?: Ref<HTMLTextAreaElement>;
}) {
  const id = useId();
  const own = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const offered =
    typed === null
      ? []
      : members.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).slice(0, maxOffered);
  const look = (area: HTMLTextAreaElement) => {
    setTyped(findTypedName(area.value, area.selectionStart));
    setActive(0);
  };
  const take = ({ name }: Member) => {
    const area = own.current;
    if (!area || typed === null) return;
    const end = area.selectionStart;
    const start = end - typed.length;
    const inserted = `${name} `;
    onChange(value.slice(0, start) + inserted + value.slice(end));
    setTyped(null);
    area.focus();
    // Behind the name, once the new text is there.
    requestAnimationFrame(() => area.setSelectionRange(start + inserted.length, start + inserted.length));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Keys of the player or a list around do not act on what is typed.
    event.stopPropagation();
    const chosen = offered[active];
    if (chosen && act(event.key, chosen)) event.preventDefault();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSubmit();
    } else if (event.key === 'Escape' && onCancel) {
      event.preventDefault();
      onCancel();
    }
  };
  /** What a key does while members are offered. @returns whether it does anything */
  function act(key: string, chosen: Member): boolean {
    if (key === 'ArrowDown') setActive((active + 1) % offered.length);
    else if (key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length);
    else if (key === 'Enter' || key === 'Tab') take(chosen);
    else if (key === 'Escape') setTyped(null);
    else return false;
    return true;
  }
  return (
    <div className="relative">
      <textarea
        ref={(element) => {
          own.current = element;
          if (typeof ref === 'function') ref(element);
          else if (ref) ref.current = element;
        }}
        aria-label={label}
        role="combobox"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-members`}
        aria-autocomplete="list"
        aria-activedescendant={offered.length > 0 ? `${id}-${active}` : undefined}
        rows={2}
        maxLength={4000}
        dir="auto"
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          look(event.target);
        }}
        onClick={(event) => look(event.currentTarget)}
        onBlur={() => setTyped(null)}
        onKeyDown={onKeyDown}
        className="block field-sizing-content max-h-48 min-h-16 w-full resize-none bg-transparent px-3 py-2 leading-relaxed outline-none placeholder:text-quiet"
        {...props}
      />
      <ul
        id={`${id}-members`}
        role="listbox"
        aria-label="Members"
        className={clsx(
          'absolute inset-x-1 top-full z-20 overflow-hidden rounded-control border border-line bg-surface py-1 shadow-float',
          offered.length === 0 && 'hidden',
        )}
      >
        {offered.map((member, i) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field takes the keys
          <li
            key={member.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(member)}
            className={clsx(
              'cursor-pointer truncate px-3 py-1.5 pointer-coarse:py-3',
              i === active && 'bg-accent-soft text-accent',
            )}
          >
            {member.name}
          </li>
        ))}
      </ul>
    </div>
  );
}
