import { type Command, Option } from 'commander';
import { type EventType, isNotSupported, type StreamedEvent, subscribeToEvents } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError, describeFailure } from '../failures.ts';
import { formatDate } from '../output/format-date.ts';
import { addExamples, addJsonOption, gather } from './options.ts';

/** The events of the API. The compiler refuses a list that lacks one. */
const types = Object.keys({
  'media.created': true,
  'media.progress': true,
  'media.completed': true,
  'media.failed': true,
  'media.deleted': true,
  'media.reviewed': true,
  'comment.created': true,
  'comment.updated': true,
  'comment.deleted': true,
  'source.scanned': true,
  'source.offline': true,
  'source.online': true,
  'search.saved_match': true,
} satisfies Record<EventType, true>) as EventType[];

type EventOptions = { json?: boolean; type?: EventType[]; since?: string };

export function addEventsCommand(program: Command, context: Context): void {
  const command = program
    .command('events')
    .description('Follow what happens in the workspace, until Ctrl-C')
    .addOption(
      new Option('--type <type>', `Only these: ${types.join(', ')}; several with commas in between`).argParser(gather),
    )
    .option('--since <id>', 'Begin after this event, one of the last seven days');
  addExamples(
    addJsonOption(command, 'each event as a line of JSON').action((options: EventOptions) => follow(options, context)),
    'events',
    'events --type media.completed,media.failed --json',
  );
}

async function follow(options: EventOptions, context: Context): Promise<void> {
  const { output, unread } = context;
  // Without a reader there is no use in going on.
  const signal = AbortSignal.any([context.signal, unread]);
  const unknown = options.type?.find((type) => !types.includes(type));
  if (unknown !== undefined) throw new CommandError(`There are no events ${unknown}. There are ${types.join(', ')}.`);
  const { account, client } = await context.connect();
  let said: string | null = null;
  const stream = subscribeToEvents(client, {
    ...(options.type ? { types: options.type } : {}),
    ...(options.since === undefined ? {} : { lastEventId: options.since }),
    signal,
    onState(live, problem) {
      // Repeated attempts are reported once.
      const message = live || !problem ? null : describeFailure(problem, account.url);
      if (message !== null && message !== said)
        output.say(`${message} The stream of events is asked for again until it comes.`, 'yellow');
      said = message;
    },
  });
  try {
    for await (const event of stream) {
      if (event.type === 'ready') output.say('Following events. Ctrl-C ends it.', 'dim');
      else show(event, options, output);
    }
  } catch (failure) {
    if (isNotSupported(failure)) throw new CommandError('This service has no events.');
    throw failure;
  }
}

function show(
  event: Exclude<StreamedEvent, { type: 'ready' }>,
  { json }: EventOptions,
  output: Context['output'],
): void {
  if (event.type === 'gap') return output.say('The service no longer has all events since then.', 'yellow');
  const { lastEventId: _, ...data } = event;
  if (json) return output.jsonLine(data);
  const { id, name } =
    'source' in event.data ? event.data.source : { ...event.data.media, name: event.data.media.filename };
  const row = { at: event.timestamp, type: event.type, id, name, about: describe(event) };
  output.row([output.isTerminal ? formatDate(row.at) : row.at, row.type, row.id, row.name, row.about]);
}

/** What there is to say besides the type of an event. */
function describe(event: Exclude<StreamedEvent, { type: 'ready' | 'gap' }>): string {
  if (event.type === 'search.saved_match') return event.data.saved_search.name;
  if (event.type === 'media.reviewed') return event.data.review.state.replace('_', ' ');
  if ('source' in event.data) return event.data.source.problem?.message ?? '';
  if ('comment' in event.data) return `${event.data.comment.author.name}: ${event.data.comment.text}`;
  const { progress, error } = event.data.media;
  if (error) return error.message;
  return event.type === 'media.progress' && progress
    ? `${progress.stage} ${Math.floor(100 * progress.fraction)} %`
    : '';
}
