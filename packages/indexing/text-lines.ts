import { keepWithin, type SubtitleLine, type TimedLine } from '@media-search/media/subtitles';
import type { TextLine } from './indexed-media.ts';

/** Subtitles and chapter titles, on the item's clock, as the lines of an item. @param duration of the item, seconds */
export const toTextLines = (subtitles: SubtitleLine[], chapters: TimedLine[], duration: number): TextLine[] =>
  keepWithin(
    [
      ...subtitles.map((line): TextLine => ({ source: 'subtitle', ...line })),
      ...chapters.map((line): TextLine => ({ source: 'chapter', track: null, language: null, ...line })),
    ],
    duration,
  );
