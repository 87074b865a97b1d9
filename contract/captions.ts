import { z } from 'zod';
import type { Operation } from './operation.ts';
import { idParams, integerParameter } from './parameters.ts';
import { language, textSource } from './texts.ts';

const captionSource = textSource.extract(['subtitle', 'speech']);

const captionTrack = z
  .object({
    source: captionSource,
    track: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Index of the subtitle stream in the file, from 1000 on a file beside it in its source; null for speech.',
      ),
    language: language.nullable().describe('As the file states it, or as it was recognised.'),
    lines: z.int().min(1),
  })
  .meta({ id: 'CaptionTrack', examples: [{ source: 'subtitle', track: 2, language: 'en', lines: 1204 }] });
export type CaptionTrack = z.output<typeof captionTrack>;

const captionFormat = z.enum(['vtt', 'srt']);

const captionsQuery = z.object({
  format: captionFormat.default('vtt').describe('WebVTT or SubRip.'),
  source: captionSource.optional().describe('When left out: subtitles of the file, or else speech.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,6}$/, 'must be a language (BCP 47), such as en or pt-BR')
    .optional()
    .describe('A language (BCP 47): `pt` also takes `pt-BR`.'),
  track: integerParameter(0, 9999).optional().describe('The subtitle stream, where several have one language.'),
});
export type CaptionsQuery = z.output<typeof captionsQuery>;

/** What is said in a video, to read along. */
export const captionOperations = {
  listCaptionTracks: {
    method: 'GET',
    path: '/media/:id/captions/tracks',
    tag: 'Media',
    access: 'key',
    summary: 'List what captions a video has.',
    description:
      'Subtitles of the file first, the track with most lines before others. Empty where nothing was read or recognised.',
    params: idParams,
    responses: { 200: 'The tracks.' },
    data: z.array(captionTrack),
    errors: ['not_found'],
  },
  getCaptions: {
    method: 'GET',
    path: '/media/:id/captions',
    tag: 'Media',
    access: 'key',
    summary: 'Download the captions of a video.',
    description: 'The first of its tracks that has the source, language and stream that are asked for.',
    params: idParams,
    query: captionsQuery,
    responses: { 200: 'A file of captions.' },
    file: ['text/vtt', 'application/x-subrip'],
    data: z.string().meta({ examples: ['WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.500\nGood morning.\n'] }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
