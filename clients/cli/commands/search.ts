import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { formatBytes } from '../../shared/format.ts';
import { type SearchHit, searchMedia, searchMediaByFile, searchMediaByImage } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { readInput, standardStream } from '../files/read-input.ts';
import { findFilters } from '../labels/find-labels.ts';
import { addHitOptions, type HitOptions, showHits } from './hits.ts';
import { addExamples, type FilterOptions, limitOption, off, on } from './options.ts';

type SearchOptions = HitOptions &
  FilterOptions & {
    limit: number;
    image?: string;
    in?: string;
    dedupe?: boolean;
    rerank?: boolean;
    asWritten?: boolean;
  };

export function addSearchCommand(program: Command, context: Context): void {
  const command = program
    .command('search [words...]')
    .description('Find moments by words, or by an image')
    .option('-i, --image <file>', 'Find what looks like this image: a file, an http address, or - for standard input')
    .addOption(limitOption('How many hits, at most 100', 10, 100))
    .option(
      '--in <places>',
      'Where to look: visual, speech, ocr, subtitle, chapter, filename, tag, creator, category, collection; with commas in between',
    )
    .option('--as-written', 'Search for all words as they are: no typing errors, no conditions')
    .option('--dedupe', 'Leave out near-duplicates of the same event')
    .option('--rerank', 'Judge the best hits again, also where that takes longer')
    .option('--no-rerank', 'Leave the best hits as they were found');
  addExamples(
    addHitOptions(command).action((words: string[], options: SearchOptions) => search(words, options, context)),
    'search somebody hitting a baseball',
    'search "red car at night" --type video -n 5 --open',
    'search --image photo.jpg --json',
    'search "ferry leaving" --export clips/',
  );
}

async function search(words: string[], options: SearchOptions, context: Context): Promise<void> {
  const text = words.join(' ').trim();
  if ((text === '') === (options.image === undefined))
    throw new CommandError('Say what to look for: words, or --image FILE.');
  if (options.image !== undefined && options.in !== undefined)
    throw new CommandError('--in says where to look for words; an image is compared with images.');
  if (options.image !== undefined && options.asWritten)
    throw new CommandError('--as-written is about words; an image has none.');
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
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const byImage = async (source: string) =>
    /^https?:\/\//.test(source)
      ? searchMediaByImage({ client, query, body: { url: source }, signal })
      : searchMediaByFile(await readImage(source, context), { client, query, signal });
  const { data, meta } =
    options.image === undefined ? await searchMedia({ client, query: byWords, signal }) : await byImage(options.image);
  await showHits(data satisfies SearchHit[], meta, options, connection, context);
}

/** The service takes no larger query image. */
const maxImageBytes = 32 * 2 ** 20;

async function readImage(source: string, { input, signal }: Context): Promise<Blob> {
  if (source === standardStream) return new Blob([await readInput(input, maxImageBytes, signal)]);
  const about = await stat(source);
  // Opening a named pipe blocks until it has a writer, and no signal ends that.
  if (!about.isFile()) throw new CommandError(`${source} is no file with an image to search by.`);
  const { size } = about;
  if (size > maxImageBytes)
    throw new CommandError(`${source} has ${formatBytes(size)}; an image to search by has at most 32 MiB.`);
  return openAsBlob(source);
}
