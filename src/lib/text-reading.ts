import { formatPercent } from './format.ts';
import { languageName } from './language-name.ts';

/** How far the reading of what is written, or said, in an item is. */
type Reading = {
  state: 'off' | 'pending' | 'complete' | 'none' | 'failed';
  progress: number | null;
  language: string | null;
  message: string | null;
};

/** A service of an earlier version reads neither. */
type ReadItem = { ocr?: Reading; speech?: Reading };

/** Whether texts of an item are still being read, behind its being found already. */
export const isReadingText = ({ ocr, speech }: ReadItem): boolean =>
  ocr?.state === 'pending' || speech?.state === 'pending';

/** How far a reading is, in words; null where there is nothing to say: it is not done, or there was nothing to read. */
export function describeReading(reading: Reading | undefined): string | null {
  if (reading?.state === 'failed') return 'Could not be read';
  if (reading?.state === 'complete') return reading.language === null ? 'Read' : languageName(reading.language);
  if (reading?.state !== 'pending') return null;
  return reading.progress ? `Being read · ${formatPercent(reading.progress)}` : 'Waiting to be read';
}
