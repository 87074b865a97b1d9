import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { formatBytes } from '../../shared/format.ts';
import { omitUndefined } from '../../shared/omit-undefined.ts';
import {
  type SearchHit,
  searchMedia,
  searchMediaByFile,
  searchMediaByImage,
  searchMediaByVideoFile,
} from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { readInput, standardStream } from '../files/read-input.ts';
import { findFilters } from '../labels/find-labels.ts';
import { showCopies } from './copies.ts';
import { addHitOptions, type HitOptions, showHits } from './hits.ts';
import { addExamples, type FilterOptions, limitOption, off, on, wholeNumber } from './options.ts';

type SearchOptions = HitOptions &
  FilterOptions & {
    limit: number;
    image?: string;
    video?: string;
    in?: string;
    dedupe?: boolean;
    rerank?: boolean;
    asWritten?: boolean;
  } & Joined;

/** What the words are joined with. */
type Joined = {
  and?: string[];
  or?: string[];
  then?: string[];
  within?: number;
  without?: string[];
  like?: string;
};

export function addSearchCommand(program: Command, context: Context): void {
  const command = program
    .command('search [words...]')
    .description('Find moments by words, or by an image')
    .option('-i, --image <file>', 'Find what looks like this image: a file, an http address, or - for standard input')
    .option('--video <file>', 'Find where this video is used: items that show the same footage')
    .addOption(limitOption('How many hits, at most 100', 10, 100))
    .option(
      '--in <places>',
      'Where to look: visual, speech, ocr, subtitle, chapter, filename, tag, creator, category, collection; with commas in between',
    )
    .option(
      '--as-written',
      'Search for all words as they are: no typing errors, no conditions, no “and”, “then”, “without”',
    )
    .addOption(joined('--and <words>', 'What the same moment shows as well'))
    .addOption(joined('--or <words>', 'What it may show instead'))
    .addOption(joined('--then <words>', 'What follows in the same video; twice for three steps'))
    .option('--within <seconds>', 'Seconds that may lie between two steps, 30 unless given', wholeNumber(1, 3600))
    .addOption(joined('--without <words>', 'What hits do not show'))
    .option('--like <chunk>', 'What hits look like besides: a moment by its `chunk_id`')
    .option('--dedupe', 'Leave out near-duplicates of the same event')
    .option('--rerank', 'Judge the best hits again, also where that takes longer')
    .option('--no-rerank', 'Leave the best hits as they were found');
  addExamples(
    addHitOptions(command).action((words: string[], options: SearchOptions) => search(words, options, context)),
    'search somebody hitting a baseball',
    'search "red car at night" --type video -n 5 --open',
    'search "a dog" --and snow --without people',
    'search "a dog" --then "a man" --within 20',
    'search --image photo.jpg --json',
    'search --video clip.mp4',
    'search --image photo.jpg "at night"',
    'search "ferry leaving" --export clips/',
  );
}

/** An option that may be given several times. */
const joined = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((words: string, before?: string[]) => [...(before ?? []), words]);

async function search(words: string[], options: SearchOptions, context: Context): Promise<void> {
  const text = words.join(' ').trim();
  if (options.video !== undefined) {
    if (text !== '' || options.image !== undefined)
      throw new CommandError('--video goes without words and without --image.');
    return searchByVideo(options.video, options, context);
  }
  if (text === '' && options.image === undefined)
    throw new CommandError('Say what to look for: words, --image FILE, or both; or --video FILE.');
  if (options.image !== undefined && options.in !== undefined)
    throw new CommandError('--in says where to look for words; an image is compared with images.');
  if (options.image !== undefined && options.asWritten)
    throw new CommandError('--as-written is about words; an image has none.');
  const { and, or, then, within, without, like } = options;
  const joinedWith = omitUndefined({ and, or, then, within, without, like });
  if (options.image !== undefined && Object.keys(joinedWith).length > 0)
    throw new CommandError('With --image what is joined goes into the words: --image FILE "dog AND snow -people".');
  const connection = await context.connect();
  const { client } = connection;
  const { signal } = context;
  const query = {
    n: options.limit,
    ...(options.dedupe ? { dedupe: on } : {}),
    ...(options.rerank === undefined ? {} : { rerank: options.rerank ? on : off }),
    ...(await findFilters(client, options, signal)),
  };
  const byWords = {
    q: text,
    ...query,
    ...(options.in ? { in: options.in } : {}),
    ...(options.asWritten ? { as_written: on } : {}),
    ...joinedWith,
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const withImage = { ...query, ...(text === '' ? {} : { q: text }) };
  const byImage = async (source: string) =>
    /^https?:\/\//.test(source)
      ? searchMediaByImage({ client, query: withImage, body: { url: source }, signal })
      : searchMediaByFile(await readImage(source, context), { client, query: withImage, signal });
  const { data, meta } =
    options.image === undefined ? await searchMedia({ client, query: byWords, signal }) : await byImage(options.image);
  await showHits(data satisfies SearchHit[], meta, options, connection, context);
}

/** The service takes no larger query image, and no larger video. */
const maxImageBytes = 32 * 2 ** 20;
const maxVideoBytes = 200 * 2 ** 20;

async function searchByVideo(source: string, options: SearchOptions, context: Context): Promise<void> {
  const connection = await context.connect();
  const file = await openFile(source, 'a video', maxVideoBytes);
  const n = Math.min(options.limit, 50);
  const { data } = await searchMediaByVideoFile(file, { client: connection.client, n, signal: context.signal });
  showCopies(data, options, connection, context);
}

async function readImage(source: string, { input, signal }: Context): Promise<Blob> {
  if (source === standardStream) return new Blob([await readInput(input, maxImageBytes, signal)]);
  return openFile(source, 'an image', maxImageBytes);
}

async function openFile(source: string, what: string, most: number): Promise<Blob> {
  const about = await stat(source);
  // Opening a named pipe blocks until it has a writer, and no signal ends that.
  if (!about.isFile()) throw new CommandError(`${source} is no file with ${what} to search by.`);
  const { size } = about;
  if (size > most)
    throw new CommandError(
      `${source} has ${formatBytes(size)}; ${what} to search by has at most ${most / 2 ** 20} MiB.`,
    );
  return openAsBlob(source);
}
