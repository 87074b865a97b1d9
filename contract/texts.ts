import { z } from 'zod';
import { pageParameters } from './parameters.ts';

/** Where a text was read that is found: `tag` stands for the tags of the file and those that people gave. */
export const textSource = z.enum([
  'filename',
  'tag',
  'subtitle',
  'chapter',
  'speech',
  'ocr',
  'creator',
  'category',
  'collection',
]);
export type TextSource = z.output<typeof textSource>;

/** The sources whose texts have a time of their own. */
const segmentSource = textSource.extract(['subtitle', 'chapter', 'speech', 'ocr']);
export type SegmentSource = z.output<typeof segmentSource>;

/** Numbers of subtitle tracks from here on are of files beside an item in its source; those below are indexes of streams in its file. */
export const firstSidecarTrack = 1000;

const share = z.number().min(0).max(1);

export const textBox = z
  .object({ x: share, y: share, width: share, height: share })
  .describe('Fractions of the picture as displayed, rotation applied; `x` and `y` are the upper left corner.');
export type TextBox = z.output<typeof textBox>;

export const language = z.string().max(35).describe('BCP 47, such as `en` or `pt-BR`.');

/** How far the reading of what is written, or said, in an item is. */
export const textExtraction = z.object({
  state: z
    .enum(['off', 'pending', 'complete', 'none', 'failed'])
    .describe('`off`: the service does not read it; `none`: there is nothing to read, as `message` says.'),
  progress: share.nullable().describe('While pending.'),
  language: language.nullable().describe('Of most of it; null: unknown.'),
  model: z
    .string()
    .max(255)
    .nullable()
    .describe('What read it, such as `whisper-tiny`; null: unknown, or nothing did.'),
  message: z.string().nullable().describe('Why there is nothing to read, or why it failed: a sentence.'),
});
export type TextExtraction = z.output<typeof textExtraction>;

export const listTextsQuery = z.object({
  source: segmentSource.optional().describe('Only texts of this source.'),
  ...pageParameters,
});

/**
 * The usual probability of a token below which recognised speech is uncertain: Whisper writes fluent text also where it understands little. Clear speech
 * has more (`transcribe-window.ts`).
 */
const uncertainBelow = 0.6;

/** Whether a text may well be wrong. That of pictures is left out where it is. */
export const isUncertain = ({ source, confidence }: { source: string; confidence: number | null }): boolean =>
  source === 'speech' && confidence !== null && confidence < uncertainBelow;

export const uncertain = z
  .boolean()
  .describe('Whether it is recognised speech of low confidence, which may well be wrong. It is found all the same.');

export const textSegment = z
  .object({
    id: z.string().describe('A text that is read again gets another one.'),
    source: segmentSource,
    language: language.nullable(),
    start: z.number().min(0).describe('Seconds; 0 for an image.'),
    end: z.number().min(0).describe('Seconds; 0 for an image.'),
    text: z.string(),
    box: textBox.nullable().describe('Where it is written; null where it is not.'),
    confidence: share.nullable().describe('Of the reading; null where nothing had to be recognised.'),
    uncertain,
  })
  .meta({
    id: 'TextSegment',
    examples: [
      {
        id: 'c2VnbWVudC1leGFtcGxl',
        source: 'ocr',
        language: 'en',
        start: 12.5,
        end: 17.04,
        text: 'Ferry terminal',
        box: { x: 0.41, y: 0.12, width: 0.22, height: 0.06 },
        confidence: 0.97,
        uncertain: false,
      },
    ],
  });
