import { builtinTextTower } from './text-tower.ts';

/**
 * The model that places queries and passages of texts in one space by what they mean: MiniLM (all-MiniLM-L6-v2, English), which the text tower of the
 * built-in embedder holds. It is the same whatever embeds the images.
 */
export const sentenceModel = {
  /** Changes with its weights: vectors of different identifiers are never compared. */
  id: 'minilm@1',
  dimensions: 384,
} as const;

/** Embeds a passage of a text, some milliseconds. Unit length; null when none of its words can be read. Throws `ModelError`. */
export const embedPassage = async (text: string): Promise<Float32Array | null> =>
  (await builtinTextTower()).embedPassage(text);
