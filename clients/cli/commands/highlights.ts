import { type Command, Option } from 'commander';
import { listHighlights } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { findFilters } from '../labels/find-labels.ts';
import { addHitOptions, type HitOptions, showHits } from './hits.ts';
import { addExamples, type FilterOptions, limitOption, on } from './options.ts';

type HighlightOptions = HitOptions &
  FilterOptions & { limit: number; method?: 'centroid' | 'knn' | 'lof'; dedupe?: boolean };

export function addHighlightsCommand(program: Command, context: Context): void {
  const command = program
    .command('highlights')
    .description('Show the most unusual clips, without a query')
    .addOption(limitOption('How many clips, at most 100', 10, 100))
    .addOption(new Option('--method <method>', 'How unusual is measured').choices(['centroid', 'knn', 'lof']))
    .option('--dedupe', 'Leave out near-duplicates');
  addExamples(
    addHitOptions(command).action((options: HighlightOptions) => showHighlights(options, context)),
    'highlights',
    'highlights --type video --method lof -n 3 --export clips/',
  );
}

async function showHighlights(options: HighlightOptions, context: Context): Promise<void> {
  const connection = await context.connect();
  const { client } = connection;
  const query = {
    n: options.limit,
    ...(options.method ? { method: options.method } : {}),
    ...(options.dedupe ? { dedupe: on } : {}),
    ...(await findFilters(client, options, context.signal)),
  };
  const { data, meta } = await listHighlights({ client, query, signal: context.signal });
  await showHits(data, meta, options, connection, context);
}
