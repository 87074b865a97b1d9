import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toUnit } from '@media-search/search-engine/vectors';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createRandom } from './vectors.ts';

/**
 * The benchmarks of the engine in a small form, for their answers and not for time: whether each finds what its reference finds. Vectors are drawn
 * around centres, as those of pictures lie. Peers are left out, and nothing else than the product has to be installed.
 *
 *     npm run node -- lab/bench/quality.ts
 */

const dimensions = 512;
const centres = 40;
const perCentre = 25;

/** The scripts, each with the options that make it small. */
const runs: [string, ...string[]][] = [
  ['search.ts', '--chunks', '4000', '--rounds', '6', '--engine', 'ours', '--quality'],
  ['workspaces.ts', '--workspaces', '6', '--chunks', '400', '--engine', 'ours'],
  ['scale.ts', 'search', '--chunks', '3000', '--rounds', '8'],
  ['highlights.ts', '--chunks', '2500'],
  ['http.ts', '--chunks', '3000', '--rounds', '20', '--seconds', '0.2'],
];

await using folder = await temporaryFolder();
const vectors = folder.file('vectors');
await writeFile(vectors, new Uint8Array(drawVectors().buffer));
for (const [script, ...options] of runs) {
  const drawn = script === 'http.ts' ? [] : ['--vectors', vectors];
  const child = spawn(process.execPath, [path.join(import.meta.dirname, script), ...options, ...drawn]);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => printed.push(String(part)));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`${script}: ${code === 0 ? 'right answers' : 'wrong answers'}`);
  if (code === 0) continue;
  console.error(printed.join(''));
  process.exitCode = 1;
}

/** Unit vectors, one after another. */
function drawVectors(): Float32Array {
  const all = new Float32Array(centres * perCentre * dimensions);
  const draw = (purpose: 'vector' | 'text', place: number) => {
    const random = createRandom(purpose, place);
    return Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  };
  for (let i = 0; i < centres * perCentre; i++) {
    const centre = draw('text', i % centres);
    const own = draw('vector', i);
    all.set(toUnit(centre.map((value, k) => value + 0.8 * (own[k] ?? 0))), i * dimensions);
  }
  return all;
}
