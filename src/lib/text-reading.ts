import { formatPercent } from './format.ts';
import { languageName } from './language-name.ts';

/** How far the reading of what is written, or said, in an item is. */
type Reading = {
  state: 'off' | 'pending' | 'complete' | 'none' | 'failed';
  progress: number | null;
  language: string | null;
  message: string | null;
};

/**
 * How far a reading is, in words; null where there is nothing to say: it is not done, or there was nothing to read. A service of an earlier
 * version says nothing of it.
 */
export function describeReading(reading: Reading | undefined): string | null {
  if (reading?.state === 'failed') return 'Could not be read';
  if (reading?.state === 'complete') return reading.language === null ? 'Read' : languageName(reading.language);
  if (reading?.state !== 'pending') return null;
  return reading.progress ? `Being read · ${formatPercent(reading.progress)}` : 'Waiting to be read';
}
