import { z } from 'zod';
import { comment } from './comments.ts';
import { indexingStage, review } from './media.ts';
import type { Operation } from './operation.ts';
import { identifier, mediaStatus, mediaType, timestamp } from './parameters.ts';
import { source } from './sources.ts';

/** What happens in a workspace that clients are told of: by the stream of events and by webhooks. */

const mediaEventTypes = [
  'media.created',
  'media.progress',
  'media.completed',
  'media.failed',
  'media.deleted',
] as const;

const commentEventTypes = ['comment.created', 'comment.updated', 'comment.deleted'] as const;

const sourceEventTypes = ['source.scanned', 'source.offline', 'source.online'] as const;

export const eventType = z.enum([
  ...mediaEventTypes,
  'media.reviewed',
  ...commentEventTypes,
  ...sourceEventTypes,
  'search.saved_match',
]);
export type EventType = z.output<typeof eventType>;

const exampleMedia = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  filename: 'harbour.mp4',
  type: 'video',
  status: 'complete',
  progress: null,
  error: null,
  creator_id: null,
  category_id: null,
  created_at: '2026-11-21T09:30:00.000Z',
};

/** An item as an event has it: as it was then. Events are kept, so there is nothing in it that expires. */
const mediaOfEvent = z.object({
  id: identifier,
  filename: z.string().describe('Text to show, never a path to use.'),
  type: mediaType,
  status: mediaStatus,
  progress: z
    .object({ stage: indexingStage, fraction: z.number().min(0).max(1) })
    .nullable()
    .describe('While pending or indexing.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Only in status `error`.'),
  creator_id: identifier.nullable(),
  category_id: identifier.nullable(),
  created_at: timestamp.describe('When the item was added.'),
});

/** What an event that is about more than an item says of that. */
const namedMedia = z.object({ id: identifier, filename: z.string(), type: mediaType });

const reviewed = z.object({ media: namedMedia, review });

const commented = z.object({
  media: namedMedia,
  comment: comment.describe(
    'As it was then. `comment.updated`: its text was changed, or it was resolved or opened again.',
  ),
});

const sourceOfEvent = z.object({
  source: source.pick({
    id: true,
    name: true,
    kind: true,
    location: true,
    state: true,
    problem: true,
    last_scan: true,
  }),
});

const savedMatch = z.object({
  saved_search: z.object({ id: identifier, name: z.string() }),
  media: namedMedia,
  hits: z
    .array(
      z.object({
        start: z.number().min(0).describe('Seconds; 0 for an image.'),
        end: z.number().min(0).describe('Seconds; 0 for an image.'),
        score: z.number().min(0).max(1),
      }),
    )
    .max(3)
    .describe('The best moments, the best first.'),
});

/** What is said of an event of each type. */
export type EventData = {
  [Type in (typeof mediaEventTypes)[number]]: { media: z.output<typeof mediaOfEvent> };
} & { [Type in (typeof commentEventTypes)[number]]: z.output<typeof commented> } & {
  'media.reviewed': z.output<typeof reviewed>;
} & { [Type in (typeof sourceEventTypes)[number]]: z.output<typeof sourceOfEvent> } & {
  'search.saved_match': z.output<typeof savedMatch>;
};

const common = {
  id: identifier.describe('The same wherever this event is sent, and never that of another one.'),
  timestamp: timestamp.describe('When it happened.'),
};

/** An event, as the stream and webhooks send it. */
export const event = z
  .discriminatedUnion('type', [
    z.object({ ...common, type: z.enum(mediaEventTypes), data: z.object({ media: mediaOfEvent }) }),
    z.object({ ...common, type: z.literal('media.reviewed'), data: reviewed }),
    z.object({ ...common, type: z.enum(commentEventTypes), data: commented }),
    z.object({ ...common, type: z.enum(sourceEventTypes), data: sourceOfEvent }),
    z.object({ ...common, type: z.literal('search.saved_match'), data: savedMatch }),
  ])
  .meta({
    id: 'Event',
    examples: [
      {
        id: '01a1fbe4-7f10-7c55-9d0e-5b1f0c9e2a77',
        type: 'media.completed',
        timestamp: '2026-11-21T09:30:07.000Z',
        data: { media: exampleMedia },
      },
    ],
  });
export type Event = z.output<typeof event>;

const anyType = `(?:${eventType.options.join('|')})`;

/** Types in a query string with commas in between. */
const eventTypeList = z
  .string()
  .regex(
    new RegExp(`^${anyType}(?:,${anyType}){0,${eventType.options.length - 1}}$`.replaceAll('.', '[.]')),
    `must be one or more of ${eventType.options.join(', ')}, with commas in between`,
  );

/** The types of a list that is valid. */
export const toEventTypes = (list: string): EventType[] => list.split(',') as EventType[];

const streamEventsQuery = z.object({
  types: eventTypeList
    .optional()
    .meta({ examples: ['media.completed,media.failed'] })
    .describe('Only events of these types, with commas in between.'),
  last_event_id: identifier
    .optional()
    .describe('In place of the header `Last-Event-ID`, for clients that cannot set one; the header counts first.'),
});

/** The stream of events. */
export const eventOperations = {
  streamEvents: {
    method: 'GET',
    path: '/events',
    tag: 'Events',
    access: 'key',
    summary: 'Follow what happens in the workspace.',
    description:
      'Server-Sent Events: `id`, `event` (the type) and `data` (the event as JSON), for as long as the client stays connected; a comment at least every 15 s. ' +
      'With `Last-Event-ID` the stream goes on behind that event, from a log of seven days. Without it, it begins now, and says so by an event `ready`; an ' +
      'event `gap` comes first where the log no longer has what was named. After `ready` and `gap`, read what you show. `media.progress` comes ' +
      'without an `id`: progress is not kept once its item is settled. An event may come twice, never be left out; whatever is read after an ' +
      'event is no older than it.',
    query: streamEventsQuery,
    responses: { 200: 'A stream of events.' },
    file: ['text/event-stream'],
    data: event,
    errors: [],
  },
} as const satisfies Record<string, Operation>;
