import { useStoredText } from './stored-state.ts';

/**
 * Whether this browser shows what developers need and others do not: requests as `curl`, checksums, pixel dimensions, scores, models and the
 * commands of operators; and how to turn it on and off.
 */
export function useDeveloperMode(): [boolean, (on: boolean) => void] {
  const [stored, store] = useStoredText('developer mode');
  return [stored !== null, (on) => store(on ? 'on' : null)];
}
