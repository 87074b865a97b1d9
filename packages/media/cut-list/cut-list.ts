import type { EditingFacts } from '../describe-editing.ts';

/** A span of a video in a cut list, with what an editing program has to know of the video. */
export type CutListEntry = {
  mediaId: string;
  filename: string;
  /** Where it is on the machine of the editor; null: its name alone is known. */
  location: string | null;
  /** What it shows, as people name it. */
  name: string;
  /** Seconds from the first frame of the video. */
  start: number;
  end: number;
  /** The length of the whole video, seconds. */
  duration: number;
  width: number;
  height: number;
  facts: EditingFacts;
};

export type CutList = {
  title: string;
  entries: CutListEntry[];
  /** What had to be left out, a sentence each. */
  omitted: string[];
};
