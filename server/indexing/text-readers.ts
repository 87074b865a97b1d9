import type { ExtractionSource } from '../catalog/schema.ts';
import { includedSpeechModel } from '../speech/speech-models.ts';
import { createSpeechRecogniser } from '../speech/speech-recogniser.ts';
import { transcribe } from '../speech/transcribe.ts';
import type { TextReader } from './recognise-text.ts';
import type { WorkerOptions } from './worker-messages.ts';

/** The readers of a worker; null for what it does not read. */
export const createTextReaders = ({
  speech,
  threads,
}: Pick<WorkerOptions, 'ocr' | 'speech' | 'threads'>): Record<ExtractionSource, TextReader | null> => ({
  ocr: null,
  speech: speech === 'off' ? null : createSpeechReader(threads),
});

function createSpeechReader(threads: number): TextReader {
  const recogniser = createSpeechRecogniser(includedSpeechModel(), threads);
  return (task) => transcribe(task, recogniser);
}
