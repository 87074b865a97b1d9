import type { Generated } from 'kysely';
import type { SegmentSource, TextSource } from '../../../contract/texts.ts';

/** The sources that are recognised by jobs of their own. */
export type ExtractionSource = Extract<SegmentSource, 'ocr' | 'speech'>;

/** What is said and written in items. */
export type TextTables = {
  /** What is said and written in an item, with its time; see `../texts/text-segments.ts`. */
  text_segments: {
    number: Generated<number>;
    workspace_id: string;
    media_id: string;
    source: SegmentSource;
    /** Index of a subtitle's stream in the file; null for other sources. */
    track: number | null;
    /** BCP 47; null: unknown. */
    language: string | null;
    /** Seconds; both 0 for a photograph. */
    start_time: number;
    end_time: number;
    text: string;
    /** `TextBox` as JSON; null: it is not written anywhere in the picture. */
    box: string | null;
    /** 0..1; null: nothing had to be recognised. */
    confidence: number | null;
  };
  /** What recognition that begins again has read so far, until it takes the place of the segments of before; see `../texts/text-extractions.ts`. */
  text_drafts: TextTables['text_segments'];
  /** The segments by which a chunk is found. */
  chunk_segments: { workspace_id: string; chunk_number: number; segment_number: number };
  /** How far the recognition of text in an item is; see `../texts/text-extractions.ts`. No row: it was never asked for. */
  text_extractions: {
    workspace_id: string;
    media_id: string;
    source: ExtractionSource;
    state: 'pending' | 'complete' | 'none' | 'failed';
    /** Seconds from the first frame, up to where all is read and stored. */
    position: Generated<number>;
    /** 1: it was read before, and what is read now is a draft until it is complete. */
    again: Generated<number>;
    /** BCP 47, of most of it; null: unknown. */
    language: string | null;
    /** What read the texts that are stored. */
    model: string | null;
    /** What read the drafts. */
    draft_model: string | null;
    /** Why there is nothing, or why it failed. */
    message: string | null;
    updated_at: string;
  };
  /** Passages of texts with vectors by what they mean; see `../texts/passages.ts`. */
  text_passages: {
    number: Generated<number>;
    workspace_id: string;
    media_id: string;
    /** The chunk that it belongs to: that in which most of it is said or shown. */
    chunk_number: number;
    /** The first of the segments that it was joined from; null: it is about the whole item. */
    segment_number: number | null;
    source: TextSource;
    /** BCP 47; null: unknown. */
    language: string | null;
    /** Seconds; null where it is about the whole item. */
    start_time: number | null;
    end_time: number | null;
    /** The least of its segments, 0..1; null: nothing had to be recognised. */
    confidence: number | null;
    text: string;
    /** A scale and 384 signed bytes, as the vectors of `chunk_views`. */
    vector: Uint8Array;
  };
  /** How far the passages of an item are made. No row: they were never asked for. */
  passage_states: {
    workspace_id: string;
    media_id: string;
    state: 'pending' | 'complete' | 'failed';
    /** What their vectors are from. */
    model: string | null;
    updated_at: string;
  };
};
