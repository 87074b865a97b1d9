import { useStoredText } from '../../lib/stored-state.ts';

/** What a player does at the end of a clip. */
export type AtEnd = 'stop' | 'loop' | 'next';

/** The choice of this browser, for all clips; and how to choose. Choosing the same again undoes it. */
export function useAtEnd(): [AtEnd, (choice: 'loop' | 'next') => void] {
  const [stored, store] = useStoredText('at-end');
  const atEnd = stored === 'loop' || stored === 'next' ? stored : 'stop';
  return [atEnd, (choice) => store(choice === atEnd ? null : choice)];
}
