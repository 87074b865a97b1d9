import { createRequire } from 'node:module';
import { loadLineReader, photoDetail } from '@media-search/models/ocr/read-lines';
import sharp from 'sharp';
import type { ReadText } from './word-match.ts';

/** What reads text in an image. */
export type TextReader = {
  name: string;
  read(jpeg: Buffer): Promise<ReadText[]>;
  close(): Promise<void>;
};

/** What is used of tesseract.js, which is optional: it is large, and only asked by name. */
type Tesseract = {
  createWorker: (language: string, engine: number, options: object) => Promise<TesseractWorker>;
  PSM: { SPARSE_TEXT: string };
};
type TesseractWorker = {
  setParameters(parameters: Record<string, string>): Promise<unknown>;
  recognize(image: Buffer, options: object, output: object): Promise<{ data: { blocks: Block[] | null } }>;
  terminate(): Promise<unknown>;
};
type Block = { paragraphs: { lines: { words: TesseractWord[] }[] }[] };
type TesseractWord = { text: string; confidence: number; bbox: { x0: number; y0: number; x1: number; y1: number } };

const require = createRequire(import.meta.url);
const never = new AbortController().signal;

/** Ours, on one thread, as photographs are read. */
export async function loadOurs(): Promise<TextReader> {
  const { readLines } = await loadLineReader(1);
  return {
    name: 'ours',
    async read(jpeg) {
      const { data, info } = await sharp(jpeg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      return readLines({ width: info.width, height: info.height, data }, photoDetail, never);
    },
    close: () => Promise.resolve(),
  };
}

/**
 * tesseract.js with its English data from npm (no download) and its LSTM, looking for sparse text; words from
 * a confidence on. No other setting was tried.
 * @param confidence 0..100
 */
export async function loadTesseract(confidence: number): Promise<TextReader> {
  const { langPath } = require('@tesseract.js-data/eng') as { langPath: string };
  const { createWorker, PSM } = require('tesseract.js') as Tesseract;
  const worker = await createWorker('eng', 1, { langPath, cacheMethod: 'none', gzip: true });
  await worker.setParameters({ tessedit_pageseg_mode: PSM.SPARSE_TEXT, debug_file: '/dev/null' });
  return {
    name: `tesseract.js, from ${confidence}`,
    async read(jpeg) {
      const { width, height } = await sharp(jpeg).metadata();
      const { data } = await worker.recognize(jpeg, {}, { text: false, blocks: true });
      const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs).flatMap(({ lines }) => lines);
      return lines
        .flatMap(({ words }) => words)
        .filter((word) => word.confidence >= confidence)
        .map(({ text, bbox: { x0, y0, x1, y1 } }) => ({
          text,
          box: { x: x0 / width, y: y0 / height, width: (x1 - x0) / width, height: (y1 - y0) / height },
        }));
    },
    async close() {
      await worker.terminate();
    },
  };
}
