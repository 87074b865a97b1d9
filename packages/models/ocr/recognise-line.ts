import { readFile } from 'node:fs/promises';
import type { RgbImage } from '@media-search/media/rgb-image';
import { decodeCtc, type ReadCharacter } from './decode-ctc.ts';
import { ocrModelFile, openOcrSession, unusable } from './open-ocr-session.ts';

/** Height of the crops that the network was trained with, pixels. */
export const lineHeight = 48;

/** Reads a line of text that is 48 pixels high. @returns its characters; a time step is eight pixels wide */
export type RecogniseLine = (line: RgbImage) => Promise<ReadCharacter[]>;

/** Loads the text recogniser (PP-OCRv4, mobile: Chinese and English). Throws `ModelError`. */
export async function loadLineRecogniser(threads: number): Promise<RecogniseLine> {
  const run = await openOcrSession(ocrModelFile('recognition'), threads);
  const characters = await readCharacters();
  return async ({ width, data }) => {
    const area = width * lineHeight;
    const planes = new Float32Array(3 * area);
    // Blue, green, red, as in training.
    for (let i = 0; i < area; i++) {
      for (let c = 0; c < 3; c++) planes[c * area + i] = (data[3 * i + 2 - c] as number) / 127.5 - 1;
    }
    const output = await run(planes, [1, 3, lineHeight, width]);
    const read = decodeCtc(output.data as Float32Array, output.dims[2] as number, characters);
    output.dispose();
    return read;
  };
}

/** The characters in order of their classes, one a line; the space, which has no line, is the last. */
async function readCharacters(): Promise<string[]> {
  const list = await readFile(ocrModelFile('characters'), 'utf8').catch((error: unknown) => {
    throw unusable(error);
  });
  return [...list.split('\n').filter((line) => line !== ''), ' '];
}
