import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation, useNavigation, useSearchParams } from 'react-router';
import { readMoment } from '../../lib/timecode.ts';

/** The address follows at most so often: browsers refuse more than some changes a second. */
const followMs = 250;

/**
 * The moment in the address of an item, `t`.
 * @param onGo called when the address names another moment than the player told, such as by a link
 * @returns it in seconds, null where there is none; and how the player tells where it is; the address follows
 */
export function useMoment(onGo: (time: number) => void): [moment: number | null, follow: (time: number) => void] {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  // Writing the address would cancel a navigation to a page that is still loading.
  const isGoing = useNavigation().state !== 'idle';
  const text = search.get('t');
  const told = useRef(text);
  const [wanted, setWanted] = useState<string | null>(null);
  const write = useEffectEvent((moment: string) => {
    told.current = moment;
    setWanted(null);
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.set('t', moment);
        return after;
      },
      // In the same entry of the history, at the same place of the page.
      { replace: true, preventScrollReset: true, state },
    );
  });
  useEffect(() => {
    if (wanted === null || isGoing) return undefined;
    const timer = setTimeout(() => write(wanted), followMs);
    return () => clearTimeout(timer);
  }, [wanted, isGoing]);
  const go = useEffectEvent((named: string | null) => {
    if (named === told.current) return;
    told.current = named;
    const moment = readMoment(named);
    if (moment !== null) onGo(moment);
  });
  useEffect(() => go(text), [text]);
  return [readMoment(text), (time) => setWanted(String(time))];
}
