import { fork } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mean } from '@media-search/search-engine/vectors';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { expectQuality } from './expected-quality.ts';
import {
  type Corpus,
  type Material,
  openCorpus,
  partOf,
  type Queries,
  readQueries,
  writeVectors,
} from './search/corpus.ts';
import type { Engine } from './search/engine.ts';
import { readMemory } from './search/memory.ts';
import { openOurWorkspaces } from './search/ours.ts';
import { findExactly } from './search/reference.ts';
import { quantile } from './vectors.ts';

/**
 * Many small workspaces in one process, each with texts, vectors and scores of its own: in our engine workspaces of one catalog, in zvec a
 * collection each, in LanceDB a table each. Hybrid searches with three words, in each workspace in turn and again and again in one; memory
 * of a process that has opened and searched all of them.
 *
 * Exits with 1 when ours does not find what comparing all vectors finds.
 *
 *     npm run node -- lab/bench/workspaces.ts --vectors <file of float32> [--workspaces 200] [--chunks 1000] [--engine ours --engine zvec …]
 */

const { values } = parseArgs({
  options: {
    vectors: { type: 'string' },
    workspaces: { type: 'string', default: '200' },
    chunks: { type: 'string', default: '1000' },
    engine: { type: 'string', multiple: true, default: ['ours', 'LanceDB', 'zvec'] },
    // The arguments of the processes that it starts: where the data are, and whether they are built already.
    folder: { type: 'string' },
    built: { type: 'boolean', default: false },
  },
});
const [count, size] = [Number(values.workspaces), Number(values.chunks)];
const material = (folder: string): Material => ({
  sourceFile: path.resolve(values.vectors ?? ''),
  vectorFile: path.join(folder, 'vectors'),
  size: count * size,
  dimensions: 512,
  queries: 400,
});

if (values.folder === undefined) {
  await using folder = await temporaryFolder();
  await writeVectors(material(folder.path));
  console.log(
    '| engine | built, s | opened, s | own memory, MiB | mapped files, MiB | in turn, p50 / p99 ms | in one, p50 / p99 ms |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const engine of values.engine) {
    const [built] = await run(engine, folder.path, false);
    const [opened, ...cells] = await run(engine, folder.path, true);
    console.log(`| ${engine} | ${built} | ${opened} | ${cells.join(' | ')} |`);
  }
} else {
  process.send?.(await measure(values.engine[0] ?? '', values.folder));
  process.exit();
}

function run(engine: string, folder: string, isBuilt: boolean): Promise<string[]> {
  const same = ['--vectors', values.vectors ?? '', '--workspaces', values.workspaces, '--chunks', values.chunks];
  const child = fork(
    import.meta.filename,
    [...same, '--engine', engine, '--folder', folder, ...(isBuilt ? ['--built'] : [])],
    { env: { ...process.env, LANCEDB_LOG: 'error' } },
  );
  return new Promise((resolve, reject) => {
    let measured: string[] | undefined;
    child.once('message', (cells) => (measured = cells as string[]));
    child.once('exit', (code) => {
      if (code === 0 && measured) resolve(measured);
      else reject(new Error(`${engine} has ended: ${code}.`));
    });
  });
}

async function measure(name: string, folder: string): Promise<string[]> {
  const queries = await readQueries(material(folder));
  const { three } = queries;
  using corpus = openCorpus(material(folder));
  const before = await readMemory([]);
  const began = performance.now();
  const engines = await openAll(name, corpus, path.join(folder, name));
  const ask = (place: number, i: number) => (engines[place] as Engine).hybrid(three[i % three.length]!, null);
  for (const place of engines.keys()) await ask(place, place);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const memory = await readMemory([]);
  const times = async (placeOf: (i: number) => number) => {
    const all: number[] = [];
    for (let i = 0; i < 400; i++) {
      const asked = performance.now();
      await ask(placeOf(i), i);
      all.push(performance.now() - asked);
    }
    return `${quantile(all, 0.5).toFixed(2)} / ${quantile(all, 0.99).toFixed(2)}`;
  };
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const cells = [
    seconds,
    megabytes(memory.own - before.own),
    megabytes(memory.mapped - before.mapped),
    await times((i) => (i * 37) % count),
    await times(() => 0),
  ];
  if (name === 'ours') await checkRecall(engines, corpus, queries);
  if (name === 'ours') await engines[0]?.close();
  else for (const engine of engines) await engine.close();
  return cells;
}

/** The nearest of some queries in the first workspace, one in the middle and the last, beside those that comparing all gives. */
async function checkRecall(engines: Engine[], corpus: Corpus, queries: Queries): Promise<void> {
  const compared = 20;
  for (const place of [0, Math.floor(count / 2), count - 1]) {
    const reference = findExactly(partOf(corpus, place * size, size), queries, compared);
    const recalls: number[] = [];
    for (const [i, query] of queries.one.slice(0, compared).entries()) {
      recalls.push(reference.vectorRecall(i, null, (await engines[place]?.vector(query, null)) ?? []));
    }
    expectQuality([{ name: `ours, workspace ${place}: recall at 10`, value: mean(recalls), least: 0.98 }]);
  }
}

async function openAll(name: string, corpus: Corpus, folder: string): Promise<Engine[]> {
  const corpora = Array.from({ length: count }, (_, i) => partOf(corpus, i * size, size));
  await mkdir(folder, { recursive: true });
  if (name === 'ours') return openOurWorkspaces(corpora, folder, values.built);
  const open =
    name === 'zvec' ? (await import('./search/zvec.ts')).openZvec : (await import('./search/lancedb.ts')).openLanceDb;
  const engines: Engine[] = [];
  for (const [i, part] of corpora.entries()) {
    const place = path.join(folder, String(i));
    await mkdir(place, { recursive: true });
    engines.push(await open({ corpus: part, folder: place, isBuilt: values.built }));
  }
  return engines;
}
