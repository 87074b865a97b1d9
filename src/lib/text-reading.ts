import { formatPercent } from './format.ts';
import { languageName } from './language-name.ts';

/** How far the reading of what is written, or said, in an item is. */
type Reading = {
  state: 'off' | 'pending' | 'complete' | 'none' | 'failed';
  progress: number | null;
  language: string | null;
  model: string | null;
  message: string | null;
};

/**
 * How far a reading is, in words; null where there is nothing to say: it is not done, or there was nothing to read. A service of an earlier
 * version says nothing of it.
 */
export function describeReading(reading: Reading | undefined): string | null {
  if (reading?.state === 'failed') return 'Could not be read';
  if (reading?.state === 'complete') {
    const language = reading.language === null ? 'Read' : languageName(reading.language);
    return reading.model ? `${language}, by ${modelName(reading.model)}` : language;
  }
  if (reading?.state !== 'pending') return null;
  return reading.progress ? `Being read · ${formatPercent(reading.progress)}` : 'Waiting to be read';
}

/** A model as people write it; one that the service was given by its folder has the name of that. */
const modelName = (model: string): string =>
  model === 'pp-ocrv4' ? 'PP-OCRv4' : model.replace(/^whisper-/, 'Whisper ');
