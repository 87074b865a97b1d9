import type { ExtractionSource } from '../catalog/schema.ts';
import type { TextReader } from './recognise-text.ts';
import type { WorkerOptions } from './worker-messages.ts';

/** The readers of a worker; null for what it does not read. */
export const createTextReaders = (
  _options: Pick<WorkerOptions, 'ocr' | 'speech' | 'threads'>,
): Record<ExtractionSource, TextReader | null> => ({ ocr: null, speech: null });
