import { once } from '@media-search/models/once';
import type { SpeechModel } from '@media-search/models/speech/speech-models';
import type { ExtractionSource } from '../catalog/tables/texts.ts';
import type { JobContext, TextReader } from './job-attempt.ts';
import type { WorkerOptions } from './worker-messages.ts';

/** The readers of a worker; null for what it does not read. */
export const createTextReaders = (
  { ocr, speech, threads }: Pick<WorkerOptions, 'ocr' | 'speech' | 'threads'>,
  log: Pick<JobContext['log'], 'error'>,
): Record<ExtractionSource, TextReader | null> => ({
  ocr: ocr === 'off' ? null : createOcrReader(threads),
  speech: speech && createSpeechReader(speech, threads, (problem) => log.error(speech, problem)),
});

/** Code and models are loaded for the first item that is read, and stay: most of the time a worker has nothing to read. */
function createOcrReader(threads: number): TextReader {
  const load = once(async () => {
    const [{ loadLineReader }, { readOnScreenText }] = await Promise.all([
      import('@media-search/models/ocr/read-lines'),
      import('@media-search/models/ocr/read-on-screen-text'),
    ]);
    return { loadReader: once(() => loadLineReader(threads)), readOnScreenText };
  });
  return async function* read(task) {
    const { loadReader, readOnScreenText } = await load();
    yield* readOnScreenText(task, loadReader);
  };
}

function createSpeechReader(model: SpeechModel, threads: number, onProblem: (sentence: string) => void): TextReader {
  const load = once(async () => {
    const [{ createSpeechRecogniser }, { transcribe }] = await Promise.all([
      import('@media-search/models/speech/speech-recogniser'),
      import('@media-search/models/speech/transcribe'),
    ]);
    return { recogniser: createSpeechRecogniser(model, threads, onProblem), transcribe };
  });
  return async function* read(task) {
    const { recogniser, transcribe } = await load();
    yield* transcribe(task, recogniser);
  };
}
