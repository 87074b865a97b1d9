'use strict';

/**
 * Runs Node with the arguments that follow: `node scripts/run.cjs server/main.ts`. Takes the machine's own Node where it is new enough, else the
 * one that npm installed from the lockfile. This file itself runs on Node 18 and later.
 */

const { spawn, spawnSync } = require('node:child_process');
const path = require('node:path');

/** The first version with `import.meta.main`; it runs TypeScript without being told to. */
const needed = [24, 2];
/** What the decoders and ONNX Runtime have binaries for. */
const platforms = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-x64'];
const platform = `${process.platform}-${process.arch}`;

if (!platforms.includes(platform) || isMusl()) {
  fail(
    `Media Search runs on Linux (x64 and arm64, with glibc), macOS (arm64) and Windows (x64): there are no binaries of FFmpeg and ONNX Runtime for ${platform}${isMusl() ? ' with musl' : ''}.`,
  );
}
const node = findNode();
if (node === undefined) {
  fail(
    `Media Search needs Node.js ${needed.join('.')} or later, and this is ${process.version}. npm installs it on Linux and on Windows: run npm ci, without --omit=optional. On macOS install it first.`,
  );
} else {
  runNode(node, process.argv.slice(2));
}

/** Path of the first Node that is new enough, or undefined. */
function findNode() {
  // What runs npm is the machine's own; `node` in a script of npm is the installed one.
  const own = process.env.npm_node_execpath;
  if (own && own !== process.execPath && isNewEnough(versionOf(own))) return own;
  if (isNewEnough(process.version)) return process.execPath;
  return findInstalledNode();
}

/** Path of the Node that npm installed for this platform, or undefined. */
function findInstalledNode() {
  const name = `node-${platform.replace('win32', 'win')}`;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = path.join(__dirname, '..', 'node_modules', name, 'bin', program);
  return isNewEnough(versionOf(file)) ? file : undefined;
}

/** What a program answers to `--version`; empty when it does not run. */
function versionOf(file) {
  return spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout || '';
}

function isNewEnough(version) {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) || [];
  return Number(major) > needed[0] || (Number(major) === needed[0] && Number(minor) >= needed[1]);
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** Becomes that program where Node can, so that signals reach it; else passes on the signals that it gets. */
function runNode(file, args) {
  // What it starts by the name `node` runs on the same one: npm 10 links no `node` where it skips one of another platform.
  const name = Object.keys(process.env).find((variable) => variable.toUpperCase() === 'PATH') || 'PATH';
  const env = { ...process.env, [name]: [path.dirname(file), process.env[name]].filter(Boolean).join(path.delimiter) };
  if (process.execve && process.platform !== 'win32') {
    process.removeAllListeners('warning');
    process.execve(file, [file, ...args], env);
  }
  const child = spawn(file, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${file} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
