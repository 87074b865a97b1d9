import type { SegmentSource, TextSource } from '../../../contract/texts.ts';

/** A set of sources, a bit for each. */
export type SourceSet = number;

/** Not taken from the schema of the contract, which would load zod into each search thread (10 MB). */
const bits: Record<TextSource, SourceSet> = {
  filename: 1,
  tag: 2,
  subtitle: 4,
  chapter: 8,
  speech: 16,
  ocr: 32,
  // Only the bits up to here are in postings, which have a byte for them.
  creator: 64,
  category: 128,
  collection: 256,
};

export const sourceBit = (source: TextSource): SourceSet => bits[source];

export const toSourceSet = (some: Iterable<TextSource>): SourceSet =>
  [...some].reduce((set, source) => set | sourceBit(source), 0);

export const holdsSource = (set: SourceSet, source: TextSource): boolean => (set & sourceBit(source)) !== 0;

export const allSources = toSourceSet(Object.keys(bits) as TextSource[]);

/** The sources whose words are in postings. The names of creators, categories and collections are compared when a search asks for them. */
export const postedSources = toSourceSet(['filename', 'tag', 'subtitle', 'chapter', 'speech', 'ocr']);

export type PostedSource = SegmentSource | 'filename' | 'tag';

/**
 * What one occurrence of a word counts, by the text that holds it, in multiples of `weightUnit`. Names and titles say more about a chunk than
 * what is spoken in it, and that more than what is written somewhere in the picture. Measured (`lab/bench/text-sources.ts`). The names that are in
 * no postings have a weight for the order of matches.
 */
export const sourceWeights: Record<TextSource, number> = {
  filename: 3,
  tag: 3,
  subtitle: 1,
  chapter: 3,
  speech: 1,
  ocr: 0.5,
  creator: 3,
  category: 3,
  collection: 3,
};

/** The smallest weight. */
export const weightUnit = 0.25;
