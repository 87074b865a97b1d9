import { availableParallelism, cpus, loadavg } from 'node:os';
import { median } from '@media-search/search-engine/vectors';
import { quantile } from '../vectors.ts';
import { cases, type Contestant, type Measured } from './measure.ts';

/** Prints all tables as Markdown. */
export function printReport(contestants: Contestant[], { times, rates, steady }: Measured): void {
  const sizes = new Set(contestants.map(({ size }) => size)).size;
  const names = contestants.map(({ name, size }) => (sizes > 1 ? `${name}, ${size.toLocaleString('en')}` : name));
  console.log(
    `${new Date().toISOString()}, ${cpus()[0]?.model}, ${availableParallelism()} cores, load ${loadavg()[0]}`,
  );

  table(['p50 / p99, ms', ...names]);
  for (const [place, { name }] of cases.entries()) {
    row([name, ...contestants.map((one) => spread(times.get(one)?.[place] ?? []))]);
  }

  table(['share of the exact first ten', ...names]);
  for (const [place, { name }] of cases.entries()) {
    row([name, ...contestants.map(({ quality }) => quality[place]?.toFixed(3) ?? '')]);
  }

  table(['', ...names]);
  const lines: Record<string, (one: Contestant) => string> = {
    setting: ({ effort }) => effort,
    '16 clients, queries a second': (one) => median(rates.get(one) ?? []).toFixed(0),
    'one client, p50 / p99, ms': (one) => spread(steady.get(one)?.alone.times ?? []),
    'beside 10 uploads a minute and deletes': (one) => spread(steady.get(one)?.beside.times ?? []),
    'longest pause of the caller, ms': (one) => (steady.get(one)?.alone.pause ?? 0).toFixed(0),
    'beside uploads': (one) => (steady.get(one)?.beside.pause ?? 0).toFixed(0),
    'build, s': ({ built }) => built.seconds.toFixed(0),
    'of which storing the rows of an index': ({ built: { stored } }) => (stored > 0 ? stored.toFixed(0) : '–'),
    'longest pause of the caller while building, ms': ({ built }) => built.pause.toFixed(0),
    'restart until the first answer, s': ({ name, opened }) => (name === 'pgvector' ? '–' : opened.seconds.toFixed(1)),
    'own memory, of the vectors at half precision': (one) => share(one, one.memory?.own),
    'of which also over 1,000 chunks': (one) => share(one, one.memoryOfFew?.own),
    'mapped files': (one) => share(one, one.memory?.mapped),
    'shared memory': (one) => share(one, one.memory?.shared),
  };
  for (const [name, cell] of Object.entries(lines)) row([name, ...contestants.map(cell)]);

  table(['settings tried', 'chunks', 'setting', 'recall at 10', 'vector, p50 ms']);
  for (const { name, size, sweep } of contestants) {
    for (const { effort, recall, ms } of sweep) row([name, String(size), effort, recall.toFixed(3), ms.toFixed(2)]);
  }
}

const spread = (times: number[]) => `${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.99).toFixed(2)}`;

const share = ({ size }: Contestant, bytes = 0) => (bytes / (2 * 512 * size)).toFixed(2);

function table(header: string[]): void {
  console.log();
  row(header);
  row(header.map(() => '---'));
}

const row = (cells: string[]) => console.log(`| ${cells.join(' | ')} |`);
