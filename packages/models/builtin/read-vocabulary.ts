import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const tokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.int()) }) });

/**
 * The words of four Latin letters and more that the text tower of the built-in embedder reads as a whole, in lower case, the most frequent first: the
 * vocabulary of BERT, which its makers sorted by frequency. Names and some words of other languages are among them.
 */
export async function readVocabulary(): Promise<string[]> {
  const file = new URL('./weights/tokenizer.json', import.meta.url);
  const { vocab } = tokenizerFile.parse(JSON.parse(await readFile(file, 'utf8'))).model;
  return Object.keys(vocab)
    .filter((piece) => /^[a-z]{4,}$/.test(piece))
    .sort((a, b) => (vocab[a] as number) - (vocab[b] as number));
}
