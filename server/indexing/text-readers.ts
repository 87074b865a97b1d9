import type { ExtractionSource } from '../catalog/schema.ts';
import { once } from '../models/once.ts';
import { loadLineReader } from '../ocr/read-lines.ts';
import { readOnScreenText } from '../ocr/read-on-screen-text.ts';
import { includedSpeechModel } from '../speech/speech-models.ts';
import { createSpeechRecogniser } from '../speech/speech-recogniser.ts';
import { transcribe } from '../speech/transcribe.ts';
import type { TextReader } from './recognise-text.ts';
import type { WorkerOptions } from './worker-messages.ts';

/** The readers of a worker; null for what it does not read. */
export const createTextReaders = ({
  ocr,
  speech,
  threads,
}: Pick<WorkerOptions, 'ocr' | 'speech' | 'threads'>): Record<ExtractionSource, TextReader | null> => ({
  ocr: ocr === 'off' ? null : createOcrReader(threads),
  speech: speech === 'off' ? null : createSpeechReader(threads),
});

/** The models are loaded when they are needed first, and stay. */
function createOcrReader(threads: number): TextReader {
  const loadReader = once(() => loadLineReader(threads));
  return (task) => readOnScreenText(task, loadReader);
}

function createSpeechReader(threads: number): TextReader {
  const recogniser = createSpeechRecogniser(includedSpeechModel(), threads);
  return (task) => transcribe(task, recogniser);
}
