import type { ContentBlock } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { formatTime } from '../shared/format.ts';
import { clipLink, expiryOf, pageLink } from '../shared/links.ts';
import type { Client, SearchHit } from '../typescript/index.ts';
import { clean, cleanName, cleanPassage, dataNotice, quote, span } from './safe-text.ts';
import type { Answer } from './tool.ts';

/** Hits of an answer, and how many of them have a link to their clip as well. */
const defaultHits = 10;
const maxHits = 50;
const maxLinks = 10;

export const limitField = z
  .int()
  .min(1)
  .max(maxHits)
  .default(defaultHits)
  .describe(
    `How many hits, at most ${maxHits}. The first ones are the best: ask for more only when they are not enough.`,
  );

const match = z.object({
  by: z.enum(['words', 'meaning']).describe('`meaning`: it means something like the query, in other words.'),
  source: z.string().describe('Where it was found: speech, ocr (on-screen text), subtitle, chapter, filename, tag, …'),
  start: z.number().nullable(),
  text: z.string(),
});

const hit = z.object({
  media_id: z.string(),
  filename: z.string(),
  type: z.enum(['video', 'image', 'audio']),
  start: z.number().describe('Seconds; 0 for an image.'),
  end: z.number().describe('Seconds; 0 for an image.'),
  timecode: z.string().nullable().describe('The span as players show it; null for an image.'),
  score: z.number().describe('0..1, falls down the list.'),
  weak: z.boolean().describe('Hardly more like the query than anything else: probably no hit.'),
  steps: z
    .array(z.object({ start: z.number(), end: z.number(), score: z.number() }))
    .describe('Where the query had several steps: when each is, in seconds. Otherwise empty.'),
  matches: z.array(match).describe('Passages that hold words of the query, or mean something like it.'),
  page: z.string().describe('The page of the dashboard that plays the moment, for people who are signed in there.'),
  clip: z.string().describe('Plays the moment without a key until `clip_expires_at`: give it to trusted people only.'),
  clip_expires_at: z.string().nullable(),
});
type Hit = z.output<typeof hit>;

export const hitsOutput = z.object({
  hits: z.array(hit),
  notice: z.string().nullable().describe('What the service says of the search as a whole.'),
});

/** A hit with the fields of the specification. Others are additions. */
type FoundHit = Pick<SearchHit, 'id' | 'filename' | 'score' | 'start' | 'end' | 'url' | 'type'> & Partial<SearchHit>;

/** A hit of the API as tools hand it on. */
function toHit(client: Client, found: FoundHit): Hit {
  const { id, filename, type, start, end, score, url, signals, weak = false, steps = [] } = found;
  return {
    media_id: id,
    filename: cleanName(filename),
    type,
    start,
    end,
    timecode: type !== 'image' ? `${formatTime(start)}–${formatTime(end)}` : null,
    score,
    weak,
    steps: steps.map((step) => ({ start: step.start, end: step.end, score: step.score })),
    matches: (signals?.matches ?? []).map(({ by, source, start: at, excerpt }) => ({
      by,
      source,
      start: at,
      text: cleanPassage(excerpt.map(({ text }) => text).join('')),
    })),
    page: pageLink(client, id, type === 'image' ? undefined : start),
    clip: clipLink(found),
    clip_expires_at: expiryOf(url),
  };
}

/** A hit in two or more lines. */
function writeHit(
  { filename, type, start, end, score, weak, steps, matches, media_id, page }: Hit,
  place: number,
): string {
  const where = type === 'image' ? 'image' : span(start, end);
  return [
    `${place}. ${quote(filename)} ${where}, score ${score.toFixed(2)}${weak ? ', weak' : ''}`,
    ...(steps.length > 0 ? [`   steps: ${steps.map((step) => span(step.start, step.end)).join(', then ')}`] : []),
    ...matches.map(
      ({ by, source, start: at, text }) =>
        `   ${source}${at === null || type === 'image' ? '' : ` at ${formatTime(at)}`}${by === 'meaning' ? ', means something like' : ''}: ${quote(text)}`,
    ),
    `   media_id ${media_id}, ${page}`,
  ].join('\n');
}

/** A link to the clip of a hit, which needs no key. */
const linkClip = ({ filename, timecode: when, clip, clip_expires_at: until }: Hit): ContentBlock => ({
  type: 'resource_link',
  uri: clip,
  name: when === null ? filename : `${filename} ${when}`,
  description: until === null ? 'The address expires.' : `The address works until ${until}.`,
});

/**
 * The answer of a tool that finds moments.
 * @param about.heading what the hits are, without a full stop
 * @param about.none what to do where there are none
 * @param about.notices what is to be said of the search as a whole
 */
export function answerHits(
  client: Client,
  found: SearchHit[],
  about: { heading: string; none: string; pubsub: (string | null | undefined)[] },
): Answer<z.output<typeof hitsOutput>> {
  const hits = found.map((each) => toHit(client, each));
  const notice = about.pubsub.flatMap((each) => (each ? [clean(each, 500)] : [])).join(' ') || null;
  const until = hits[0]?.clip_expires_at;
  const lines = [
    hits.length === 0 ? about.none : `${about.heading}. ${dataNotice}`,
    notice,
    ...hits.map((each, i) => writeHit(each, i + 1)),
    until ? `The links to clips work without a key until ${until}; then call this tool again.` : null,
  ];
  const text = lines.filter((line) => line !== null).join('\n');
  return {
    content: [{ type: 'text', text }, ...hits.slice(0, maxLinks).map(linkClip)],
    structuredContent: { hits, notice },
  };
}
