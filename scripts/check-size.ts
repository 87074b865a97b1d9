import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** Fails when the script of the first load (entry, its imports, and the library page) is more than 150 kB as it is sent. */

const limit = 150_000;
const folder = path.join(import.meta.dirname, '..', 'dist');
type Chunk = { file: string; imports?: string[] };
const manifest = JSON.parse(readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;

const first = new Map<string, number>();
const visit = (name: string): void => {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}.`);
  if (first.has(chunk.file)) return;
  first.set(chunk.file, brotliCompressSync(readFileSync(path.join(folder, chunk.file))).length);
  for (const imported of chunk.imports ?? []) visit(imported);
};
for (const name of ['index.html', 'src/pages/library-page.tsx']) visit(name);

const total = [...first.values()].reduce((sum, size) => sum + size, 0);
for (const [file, size] of [...first].toSorted(([, a], [, b]) => b - a))
  console.log(`${(size / 1000).toFixed(1)} kB  ${file}`);
console.log(`${(total / 1000).toFixed(1)} kB of ${limit / 1000} kB for the first load`);
if (total > limit) process.exitCode = 1;
