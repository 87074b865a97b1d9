/** A part of the picture as displayed, rotation applied: fractions of its width and height, from the upper left corner. */
export type TextBox = { x: number; y: number; width: number; height: number };

/** A text that was recognised, in a picture or in sound. */
export type ExtractedSegment = {
  /** Seconds from the first frame; both 0 for a photograph. */
  start: number;
  end: number;
  text: string;
  /** BCP 47; null: unknown. */
  language: string | null;
  /** Where it is written; null for what is said. */
  box: TextBox | null;
  /** 0..1, or null. */
  confidence: number | null;
};

/** What is wrong with a file, for the uploader. */
export type ExtractionWarning = { code: 'audio_damaged'; message: string };

/** What was read since the last checkpoint, none before its position, and up to where all is read, seconds from the first frame. */
export type ExtractionCheckpoint = {
  segments: ExtractedSegment[];
  position: number;
  /** What read it, if anything did: a reader that goes on from here may find nothing more. */
  model?: string | null;
  /** What was wrong up to here: a reader that goes on from here does not see it. */
  warning?: ExtractionWarning | null;
};

/** How the recognition in an item ended. */
export type ExtractionEnd = {
  /** `none`: nothing was found to read, from where it began. `failed`: nothing, or only a part, could be read; what was read is kept. */
  state: 'complete' | 'none' | 'failed';
  /** BCP 47, of most of it; null: unknown. */
  language: string | null;
  /** What read it, such as `whisper-tiny`; null: nothing did. */
  model: string | null;
  /** Why `none` or `failed`, a sentence for the uploader; else null. */
  message: string | null;
  warning: ExtractionWarning | null;
  /** What was read since the last checkpoint; it is stored together with the end. */
  segments?: ExtractedSegment[];
};

/**
 * What is recognised in one file, in order of time: a checkpoint after every few seconds of work, also where nothing was found, and at last how
 * it ended.
 */
export type TextReading = AsyncIterable<ExtractionCheckpoint | ExtractionEnd>;
