import { clsx } from 'clsx';
import { type KeyboardEvent, type Ref, useId, useImperativeHandle, useRef } from 'react';
import { type Member, useTypedName } from './use-typed-name.ts';

/**
 * A field for some lines of text. Behind an `@` it offers the members of the workspace: arrows choose, Enter or Tab takes, Escape leaves the text
 * as it is. Ctrl or Cmd with Enter sends.
 */
export function MentionField({
  label,
  placeholder,
  value,
  members,
  onChange,
  onSubmit,
  onCancel,
  ref,
}: {
  label: string;
  placeholder?: string;
  value: string;
  members: readonly Member[];
  onChange: (value: string) => void;
  onSubmit: () => void;
  onCancel?: () => void;
  ref?: Ref<HTMLTextAreaElement>;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => area.current as HTMLTextAreaElement);
  const names = useTypedName(area, { value, members, onChange });
  const { offered, active } = names;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Keys of the player or a list around do not act on what is typed.
    event.stopPropagation();
    const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isSent) onSubmit();
    else if (!names.act(event.key)) {
      if (event.key !== 'Escape' || !onCancel) return;
      onCancel();
    }
    event.preventDefault();
  };
  return (
    <div className="relative">
      <textarea
        ref={area}
        aria-label={label}
        aria-haspopup="listbox"
        aria-controls={offered.length > 0 ? `${id}-members` : undefined}
        aria-activedescendant={offered.length > 0 ? `${id}-${active}` : undefined}
        rows={2}
        maxLength={4000}
        dir="auto"
        placeholder={placeholder}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          names.look(event.target);
        }}
        onClick={(event) => names.look(event.currentTarget)}
        onBlur={names.close}
        onKeyDown={onKeyDown}
        className="block field-sizing-content max-h-48 min-h-16 w-full resize-none bg-transparent px-3 py-2 leading-relaxed outline-none placeholder:text-quiet"
      />
      {offered.length === 0 ? null : <Members id={id} offered={offered} active={active} onTake={names.take} />}
    </div>
  );
}

/** The members of whom one is chosen; the field keeps the focus and takes the keys. */
const Members = ({
  id,
  offered,
  active,
  onTake,
}: {
  id: string;
  offered: readonly Member[];
  active: number;
  onTake: (member: Member) => void;
}) => (
  <div
    id={`${id}-members`}
    role="listbox"
    aria-label="Members"
    tabIndex={-1}
    onPointerDown={(event) => event.preventDefault()}
    className="absolute inset-x-1 top-full z-20 overflow-hidden rounded-control border border-line bg-surface py-1 shadow-float"
  >
    {offered.map((member, i) => (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field takes the keys
      <div
        key={member.id}
        id={`${id}-${i}`}
        role="option"
        tabIndex={-1}
        aria-selected={i === active}
        onClick={() => onTake(member)}
        className={clsx(
          'cursor-pointer truncate px-3 py-1.5 pointer-coarse:py-3',
          i === active && 'bg-accent-soft text-accent',
        )}
      >
        {member.name}
      </div>
    ))}
  </div>
);
