import { type RefObject, useState } from 'react';
import { findTypedName } from './threads.ts';

export type Member = { id: string; name: string };

/** Most members that are offered at a time. */
const maxOffered = 6;

/** The members that are offered while a name is typed behind an `@`. */
export function useTypedName(
  area: RefObject<HTMLTextAreaElement | null>,
  { value, members, onChange }: { value: string; members: readonly Member[]; onChange: (value: string) => void },
) {
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const offered =
    typed === null
      ? []
      : members.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).slice(0, maxOffered);
  const take = ({ name }: Member) => {
    const { current } = area;
    if (!current || typed === null) return;
    const end = current.selectionStart;
    const start = end - typed.length;
    const inserted = `${name} `;
    onChange(value.slice(0, start) + inserted + value.slice(end));
    setTyped(null);
    current.focus();
    // Behind the name, once the new text is there.
    requestAnimationFrame(() => current.setSelectionRange(start + inserted.length, start + inserted.length));
  };
  return {
    offered,
    active,
    take,
    /** Looks at what is typed where the cursor is. */
    look({ value: text, selectionStart }: HTMLTextAreaElement) {
      setTyped(findTypedName(text, selectionStart));
      setActive(0);
    },
    close: () => setTyped(null),
    /** What a key does while members are offered. @returns whether it does anything */
    act(key: string): boolean {
      const chosen = offered[active];
      if (!chosen) return false;
      if (key === 'ArrowDown') setActive((active + 1) % offered.length);
      else if (key === 'ArrowUp') setActive((active + offered.length - 1) % offered.length);
      else if (key === 'Enter' || key === 'Tab') take(chosen);
      else if (key === 'Escape') setTyped(null);
      else return false;
      return true;
    },
  };
}
