import { formatTime } from './format.ts';

/** Where a text was found. */
export type TextSource =
  | 'filename'
  | 'tag'
  | 'subtitle'
  | 'chapter'
  | 'speech'
  | 'ocr'
  | 'creator'
  | 'category'
  | 'collection';

/** Part of a picture, in fractions of its width and height as it is displayed. */
type Box = { x: number; y: number; width: number; height: number };

/** A text that can be seen in a picture, with the seconds at which it is shown; 0 and 0 in a photograph. */
export type BoxedText = { start: number; end: number; box: Box };

/** A text that was found; without a time where it is about the whole item. */
export type FoundText = { source: TextSource; start: number | null; end: number | null; box: Box | null };

/** A text that answers a query, with the passage that does. `language`: BCP 47. */
export type TextMatch = FoundText & {
  /** Whether it holds words of the query, or means something like it. */
  by?: 'words' | 'meaning';
  language: string | null;
  /** Whether it may well be wrong. */
  uncertain?: boolean;
  excerpt: { text: string; matched: boolean }[];
};

/** How people come to know a text of each source. */
const waysOfSource: Record<TextSource, string> = {
  speech: 'Said',
  ocr: 'Shown',
  subtitle: 'Subtitle',
  chapter: 'Chapter',
  filename: 'Named',
  tag: 'Named',
  creator: 'Named',
  category: 'Named',
  collection: 'Named',
};

/** What a text of each source is. */
export const namesOfSources: Record<TextSource, string> = {
  speech: 'Recognised speech',
  ocr: 'On-screen text',
  subtitle: 'Subtitle',
  chapter: 'Chapter',
  filename: 'File name',
  tag: 'Tag',
  creator: 'Creator',
  category: 'Category',
  collection: 'Collection',
};

/** Seconds before words at which playback begins: playback from the first syllable misses it. */
const leadSeconds = 0.5;

/** Whether a text has a time: that of a photograph has none. */
const isTimed = (
  text: FoundText,
  type: 'video' | 'image' | 'audio',
): text is FoundText & { start: number; end: number } => type !== 'image' && text.start !== null && text.end !== null;

/** How a text was found and when: `Said 0:12`, `Named`. */
export const describeFoundText = (text: FoundText, type: 'video' | 'image' | 'audio'): string =>
  isTimed(text, type) ? `${waysOfSource[text.source]} ${formatTime(text.start)}` : waysOfSource[text.source];

/** What a text was found in: a scene of a video from its start, seconds, or an image. */
type Scene = { type: 'video' | 'image' | 'audio'; start: number };

/**
 * Where to play to see or hear a text, seconds; null where it is at no time of a video. What is said in a scene plays in that scene: the one
 * before has other pictures.
 */
export function momentOfText(text: FoundText, { type, start }: Scene): number | null {
  if (!isTimed(text, type)) return null;
  const isSaid = text.source === 'speech' || text.source === 'subtitle';
  return isSaid ? Math.max(text.start < start ? 0 : start, text.start - leadSeconds) : text.start;
}

/** Whether there is something to go to: a moment, or a place in the picture. */
export const canShowText = (text: FoundText, type: Scene['type']): boolean => isTimed(text, type) || text.box !== null;

/** The span of a scene, widened to hold a moment around it and the texts that go on from there. */
export function widenSpan(
  scene: Scene & { end: number },
  moment: number,
  texts: readonly FoundText[],
): { start: number; end: number } {
  const ends = texts.flatMap((text) => {
    const begin = momentOfText(text, scene);
    return begin !== null && text.end !== null && begin <= moment && moment <= text.end ? [text.end] : [];
  });
  return { start: Math.min(scene.start, moment), end: Math.max(scene.end, ...ends) };
}

/** The texts that a picture shows somewhere, each once: one that is found in two scenes is the same. */
export function boxedTexts(texts: readonly FoundText[]): BoxedText[] {
  const boxed = texts.flatMap(({ start, end, box }) => (box ? [{ start: start ?? 0, end: end ?? 0, box }] : []));
  return [...new Map(boxed.map((text) => [JSON.stringify(text), text])).values()];
}
