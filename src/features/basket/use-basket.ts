import { useMemo } from 'react';
import { useWorkspaceKey } from '../../api/workspace-key.ts';
import { readText, storeText, useStoredText } from '../../lib/stored-state.ts';
import {
  type BasketMoment,
  isSameMoment,
  moveTo,
  type NewMoment,
  parseBasket,
  type StoredBasket,
} from './basket-moments.ts';

/** As many as an export takes. */
const maxMoments = 5000;

export type Basket = {
  moments: BasketMoment[];
  find: (moment: NewMoment) => BasketMoment | undefined;
  /** Returns false when the basket is full. */
  add: (moment: NewMoment) => boolean;
  remove: (key: string) => void;
  rename: (key: string, name: string) => void;
  /** Moves the moment at a place to another place. */
  move: (from: number, to: number) => void;
  /** Empties it, and returns what puts everything back. */
  clear: () => () => void;
};

/** The basket of the workspace, which this browser keeps: all tabs show the same one. */
export function useBasket(): Basket {
  const storedAs = `basket ${useWorkspaceKey()}`;
  const [text] = useStoredText(storedAs);
  return useMemo(() => {
    // What another tab has just written counts, not what this one last saw.
    const read = () => parseBasket(readText(storedAs));
    const write = (moments: BasketMoment[]) =>
      storeText(storedAs, moments.length === 0 ? null : JSON.stringify({ version: 1, moments } satisfies StoredBasket));
    const moments = parseBasket(text);
    return {
      moments,
      find: (moment) => moments.find((each) => isSameMoment(each, moment)),
      add(moment) {
        const before = read();
        if (before.length >= maxMoments) return false;
        if (!before.some((each) => isSameMoment(each, moment))) {
          write([...before, { ...moment, key: crypto.randomUUID(), name: '' }]);
        }
        return true;
      },
      remove: (key) => write(read().filter((each) => each.key !== key)),
      rename: (key, name) => write(read().map((each) => (each.key === key ? { ...each, name } : each))),
      move: (from, to) => write(moveTo(read(), from, to)),
      clear() {
        const before = read();
        write([]);
        return () => write([...before, ...read()]);
      },
    };
  }, [text, storedAs]);
}
