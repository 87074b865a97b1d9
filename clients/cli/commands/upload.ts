import type { Command } from 'commander';
import { count } from '../../shared/format.ts';
import {
  getWorkspace,
  importMedia,
  isNotSupported,
  type MediaItem,
  type UploadLabels,
  waitForMedia,
} from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { cancelled, describeFailure, endsAll, PartialFailure } from '../failures.ts';
import { findFiles } from '../files/find-files.ts';
import { saveInput, standardStream } from '../files/read-input.ts';
import { openState } from '../files/state.ts';
import { findUploadLabels } from '../labels/find-labels.ts';
import type { Column } from '../output/format-table.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { type Sent, sendFiles } from '../transfer/send-files.ts';
import { addExamples, addJsonOption, jsonOfEach } from './options.ts';
import { addUploadOptions, type LabelOptions } from './upload-options.ts';

type UploadOptions = LabelOptions & {
  json?: boolean;
  wait?: boolean;
  dryRun?: boolean;
  parallel: number;
  name: string;
};

export function addUploadCommand(program: Command, context: Context): void {
  const command = program
    .command('upload <path...>')
    .description('Upload files, all media of folders, what is at an http address, or - for standard input')
    .option('--name <file name>', 'The name of what comes from standard input', 'standard input')
    .option('--wait', 'Wait until all are indexed')
    .option('-n, --dry-run', 'Say what would be sent, and send nothing');
  addExamples(
    addJsonOption(addUploadOptions(command), jsonOfEach('file')).action((paths: string[], options: UploadOptions) =>
      upload(paths, options, context),
    ),
    'upload harbour.mp4',
    'upload ~/Videos "photos/**/*.jpg" --creator "Ana Lima" --create --tag lisbon,summer --wait',
    'upload https://example.org/harbour.mp4',
    'upload - --name harbour.mp4 < harbour.mp4',
  );
}

/** A file with what it is after indexing, where that was waited for. */
type Result = Sent & { status?: MediaItem['status'] };

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

async function upload(paths: string[], options: UploadOptions, context: Context): Promise<void> {
  const { input, output, signal } = context;
  const isInput = (each: string) => each === standardStream;
  await using saved = paths.some(isInput) ? await saveInput(input, options.name, signal) : null;
  const given = paths.filter((each) => !isAddress(each) && !isInput(each));
  const found = await findFiles([...given, ...(saved ? [saved.file] : [])]);
  if (found.leftOut > 0)
    output.say(`${count(found.leftOut, 'other file')} left out: no videos or images by their names.`);
  const connection = await context.connect();
  const labels = await findUploadLabels(connection.client, options, signal);
  const results: Result[] = found.problems.map(({ path, error }) => ({
    file: path,
    result: 'failed',
    media_id: null,
    sha256: null,
    error,
    refused: false,
  }));
  const progress = await createProgress(output);
  const send = { labels, concurrency: options.parallel, dryRun: options.dryRun ?? false, progress, signal };
  let failure: unknown;
  try {
    const { data } = await getWorkspace({ client: connection.client, signal });
    const state = openState(context.folders.state, connection.client.transport.baseUrl, data.id);
    await sendFiles(found.files, connection, { ...send, state, onSent: (sent) => results.push(sent) });
    for (const url of paths.filter(isAddress))
      results.push(await importAddress(url, options, labels, connection, context));
    if (options.wait && !options.dryRun) await wait(results, connection, progress, signal);
  } catch (error) {
    failure = error;
  } finally {
    progress.stop();
  }
  // What was done is said also where the rest failed.
  if (failure === undefined || results.length > 0) show(results, options, output);
  if (Object.keys(labels).length > 0 && results.some((each) => wasThere(each, results)))
    output.say('What was there already keeps its labels; those that were given are for what is new.');
  if (signal.aborted) throw cancelled('Cancelled. The same command goes on where this one ended.');
  if (failure !== undefined) throw failure;
  if (results.some(isFailed)) throw new PartialFailure();
}

const isFailed = ({ result, status }: Result): boolean => result === 'failed' || status === 'error';

/** Whether the workspace had it before, and not from another file of these. */
const wasThere = ({ result, media_id: id }: Result, results: Result[]): boolean =>
  result === 'present' && !results.some((other) => other.result === 'uploaded' && other.media_id === id);

function show(results: Result[], { json }: UploadOptions, output: Context['output']): void {
  if (json) output.json(results);
  else output.table(columns(output), results);
  // On a terminal the errors have just been shown; elsewhere the data may go unread.
  if (!output.isTerminal)
    for (const { file, error } of results.filter(isFailed))
      output.say(error?.startsWith(file) ? error : `${file}: ${error ?? 'It cannot be indexed.'}`, 'red');
  summarise(results, output);
}

/** The service fetches what is at an address. */
async function importAddress(
  url: string,
  { tag, dryRun }: UploadOptions,
  labels: UploadLabels,
  { account, client }: Connection,
  { signal }: Context,
): Promise<Result> {
  const sent = { file: url, media_id: null, sha256: null, error: null, refused: false };
  if (dryRun) return { ...sent, result: 'new' };
  try {
    // A form carries tags as one text, JSON as a list.
    const { tags: _tags, ...others } = labels;
    const body = { url, ...others, ...(tag === undefined ? {} : { tags: tag }) };
    const { data, meta } = await importMedia({ client, body, signal });
    return { ...sent, result: meta?.duplicate ? 'present' : 'uploaded', media_id: data.id };
  } catch (failure) {
    signal.throwIfAborted();
    if (endsAll(failure)) throw failure;
    const error = isNotSupported(failure)
      ? 'This service fetches nothing by itself.'
      : describeFailure(failure, account.url);
    return { ...sent, result: 'failed', error };
  }
}

/** Waits until what is in the workspace is indexed, or cannot be. */
async function wait(results: Result[], { client }: Connection, progress: Progress, signal: AbortSignal): Promise<void> {
  const bars = new Map(
    results.flatMap(({ media_id: id, file }) => (id === null ? [] : [[id, progress.add(`Indexing ${file}`)]])),
  );
  const items = await waitForMedia(client, bars.keys(), {
    signal,
    onProgress({ id, progress: at }) {
      bars.get(id)?.share(at?.fraction ?? 0);
    },
  });
  for (const result of results) {
    const item = result.media_id === null ? undefined : items.get(result.media_id);
    if (item === undefined) continue;
    if (item === null) Object.assign(result, { result: 'failed', error: 'It was deleted meanwhile.' });
    else Object.assign(result, { status: item.status, error: item.error?.message ?? null });
  }
}

const resultStyles = { uploaded: 'green', present: 'dim', new: 'yellow', failed: 'red' } as const;

const columns = ({ paint }: Context['output']): Column<Result>[] => [
  {
    name: 'RESULT',
    value: ({ result, status }) => (status === 'error' ? 'failed' : result),
    paint: (text, { result, status }) => paint(resultStyles[status === 'error' ? 'failed' : result], text),
  },
  { name: 'ID', value: ({ media_id: id }) => id },
  { name: 'FILE', value: ({ file }) => file, flexible: true },
  { name: 'ERROR', value: ({ error }) => error, below: true },
];

const phrases = {
  uploaded: 'uploaded',
  present: 'there already',
  new: 'would be uploaded',
  failed: 'failed',
};

function summarise(results: Result[], output: Context['output']): void {
  const parts = Object.entries(phrases).flatMap(([result, phrase]) => {
    const number = results.filter((each) => (each.status === 'error' ? 'failed' : each.result) === result).length;
    return number === 0 ? [] : [`${number} ${phrase}`];
  });
  output.say(parts.length === 0 ? 'There was nothing to upload.' : `${parts.join(', ')}.`);
}
