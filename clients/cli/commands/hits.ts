import { type Command, Option } from 'commander';
import { describeConditions } from '../../shared/conditions.ts';
import { formatTime } from '../../shared/format.ts';
import { clipLink, pageLink } from '../../shared/links.ts';
import type { SearchHit, SearchMediaResponse } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { standardStream } from '../files/read-input.ts';
import { openAddress } from '../open-address.ts';
import type { Column } from '../output/format-table.ts';
import { exportClips } from '../transfer/export-clips.ts';
import { exportList, listFormatOf } from '../transfer/export-list.ts';
import { addFilterOptions, addJsonOption, wholeNumber } from './options.ts';

/** What can be done with hits. */
export type HitOptions = {
  json?: boolean;
  open?: boolean;
  rank: number;
  export?: string;
  paths?: string;
  force?: boolean;
};

/** The options of all commands that print hits. */
export const addHitOptions = (command: Command): Command =>
  addJsonOption(addFilterOptions(command))
    .option('--open', 'Play the best hit in the browser')
    .addOption(
      new Option('--rank <number>', 'With --open: which hit, the best being 1')
        .default(1)
        .argParser(wholeNumber(1, 100)),
    )
    .option(
      '--export <place>',
      'Save each hit as a clip in this folder; or all as a list: FILE.csv, FILE.edl, FILE.fcpxml',
    )
    .option('--paths <machine>', 'With a list: name files of sources as this machine of the path mappings does')
    .option('--force', 'With --export: replace files that exist');

/** Where people play a hit. A service without a dashboard has no chunks either; its hits are played from their file. */
const addressOf = ({ client }: Connection, hit: SearchHit): string =>
  hit.chunk_id === undefined ? clipLink(hit) : pageLink(client, hit.id, hit.start);

const writeSpan = ({ type, start, end }: SearchHit): string =>
  type === 'image' ? '' : `${formatTime(start)}–${formatTime(end)}`;

const columns = (connection: Connection, { paint }: Context['output']): Column<SearchHit>[] => [
  {
    name: 'SCORE',
    value: ({ score }) => score,
    shown: ({ score }) => score.toFixed(2),
    align: 'right',
    paint: (text, { weak }) => (weak ? paint('dim', text) : text),
  },
  { name: 'FILE', value: ({ filename }) => filename, flexible: true, paint: (text) => paint('bold', text) },
  { name: 'START', value: ({ start }) => start, only: 'scripts' },
  { name: 'END', value: ({ end }) => end, only: 'scripts' },
  { name: 'FROM–TO', value: writeSpan, only: 'people' },
  {
    name: 'ADDRESS',
    value: (hit) => addressOf(connection, hit),
    below: true,
    paint: (text) => paint('dim', text),
  },
];

/** Prints hits, and plays or cuts them where that was asked for. */
export async function showHits(
  hits: SearchHit[],
  meta: Partial<
    Pick<SearchMediaResponse['meta'], 'notice' | 'conditions' | 'corrections' | 'translated' | 'suggested_query'>
  >,
  options: HitOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  const { output } = context;
  if (options.export === standardStream)
    throw new CommandError('--export names a folder: standard output has no room for several clips.');
  if (options.paths !== undefined && listFormatOf(options.export ?? '') === undefined)
    throw new CommandError('--paths is for lists: --export FILE.csv, FILE.edl or FILE.fcpxml.');
  if (options.json) output.json(hits);
  else output.table(columns(connection, output), hits);
  if (hits.length === 0 && !options.json) output.say('Nothing was found.');
  const understood = describeConditions(meta.conditions);
  if (understood !== null) output.say(`${understood} To search for all words as they are written, add --as-written.`);
  if (meta.notice !== undefined) output.say(meta.notice, 'yellow');
  if (meta.corrections || meta.translated) output.say('To search for the words as they are written, add --as-written.');
  if (meta.suggested_query !== undefined)
    output.say(`To find more, search without quotation marks: ${meta.suggested_query}`);
  if (options.export !== undefined) await exportHits(hits, options.export, options, connection, context);
  if (!options.open) return;
  const hit = hits[options.rank - 1];
  if (!hit) throw new CommandError(`There is no hit ${options.rank} to open.`);
  await openAddress(addressOf(connection, hit), context);
}

/** Saves hits as clips in a folder, or as a list where the place ends as a file of one does. */
async function exportHits(
  hits: SearchHit[],
  place: string,
  { paths, force = false }: HitOptions,
  connection: Connection,
  context: Context,
): Promise<void> {
  const format = listFormatOf(place);
  if (format === undefined) return exportClips(hits, { folder: place, force }, connection, context);
  if (hits.length > 0) await exportList(hits, { file: place, format, paths, force }, connection, context);
}
