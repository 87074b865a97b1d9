import type { CutClip } from '@media-search/media/cut-clip';
import type { EditingFacts } from '@media-search/media/describe-editing';
import type { ClipSpan } from '@media-search/media/plan-clip';
import type { StillFormat, StillSource } from '@media-search/media/write-still';

/** What the worker process needs to know; it reads it from its arguments. */
export type ExportWorkerOptions = { dataDirectory: string };

export type ExportTask =
  /** Cuts a span out of a video as MP4. `progressFile` holds the share that is done, 0..1, as text. */
  | { kind: 'clip'; source: string; span: ClipSpan; destination: string; progressFile: string | null }
  /** Writes a span of a video as an animated image. */
  | {
      kind: 'animation';
      source: string;
      span: ClipSpan;
      format: 'gif' | 'webp';
      destination: string;
      progressFile: string | null;
    }
  /** Writes one frame of a video, or a photograph, in full size. */
  | {
      kind: 'still';
      source: StillSource;
      at: number;
      format: StillFormat;
      destination: string;
    }
  /** Reads what an editing program has to know of a video. */
  | { kind: 'describe'; source: string };

export type ExportResult = {
  clip: CutClip;
  animation: ClipSpan;
  still: null;
  describe: EditingFacts;
};
