import { execFile } from 'node:child_process';
import { chmod, cp, link, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
const launcher = path.join(import.meta.dirname, 'run.cjs');

/** A program that answers `--version` as given, and else says that it ran. */
async function writeNode(file: string, version: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo ran "$@"; fi\n`);
  await chmod(file, 0o755);
}

test('the machine’s own Node runs programs where it is new enough', async () => {
  await using folder = await temporaryFolder();
  const own = folder.file('node');
  for (const version of ['v24.2.0', 'v24.11.1', 'v25.0.0', 'v26.10.0']) {
    await writeNode(own, version);
    const { stdout } = await run(process.execPath, [launcher, 'server/main.ts', 'a b'], {
      env: { npm_node_execpath: own },
    });
    expect([version, stdout]).toEqual([version, 'ran server/main.ts a b\n']);
  }
  for (const version of ['v18.20.4', 'v20.20.2', 'v22.21.0', 'v24.1.0', 'garbage']) {
    await writeNode(own, version);
    const env = { npm_node_execpath: own };
    const { stdout, stderr } = await run(process.execPath, [launcher, '-p', 'process.execPath'], { env });
    expect([version, stdout, stderr]).toEqual([version, `${process.execPath}\n`, '']);
  }
});

/** A project that has nothing but the launcher, for what an old Node does with it. */
async function copyLauncher(folder: { file: (name: string) => string }): Promise<string> {
  await mkdir(folder.file('scripts'));
  // It reads its version as Node of that version would give it.
  const source = await readFile(launcher, 'utf8');
  await writeFile(folder.file('scripts/run.cjs'), source.replaceAll('process.version', "'v20.20.2'"));
  return folder.file('scripts/run.cjs');
}

test('an old Node hands over to the one that npm installed, with signals and exit code', async () => {
  await using folder = await temporaryFolder();
  const copy = await copyLauncher(folder);
  const name = `node-${process.platform}-${process.arch}`.replace('win32', 'win');
  await mkdir(folder.file(`node_modules/${name}/bin`), { recursive: true });
  const installed = folder.file(`node_modules/${name}/bin/node`);
  await link(process.execPath, installed).catch(() => cp(process.execPath, installed));
  const where = await run(process.execPath, [copy, '-p', 'process.execPath'], { env: {} });
  expect(where.stdout).toBe(`${installed}\n`);
  // What it starts runs on the same one, whatever `node` is on the path.
  const byName = "require('child_process').execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8' })";
  const inside = await run(process.execPath, [copy, '-p', byName], { env: { PATH: '/usr/bin:/bin' } });
  expect(inside.stdout.trim()).toBe(installed);
  // Without `execve`, as on Node 20 and on Windows.
  const older = ['-e', `delete process.execve; require(${JSON.stringify(copy)})`, 'file'];
  const failing = run(process.execPath, [...older, '-e', 'process.exit(7)'], { env: {} });
  await expect(failing).rejects.toMatchObject({ code: 7 });
  const program = `process.on('SIGTERM', () => { console.log('asked to stop'); process.exit(3); }); console.log('ready'); setInterval(() => {}, 1000)`;
  const child = execFile(process.execPath, [...older, '-e', program], { env: {} });
  const output: string[] = [];
  child.stdout?.on('data', (text: string) => {
    output.push(text);
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect([code, output.join('')]).toEqual([3, 'ready\nasked to stop\n']);
});

test('where no Node is new enough, and on a platform without binaries, one sentence says so', async () => {
  await using folder = await temporaryFolder();
  const copy = await copyLauncher(folder);
  await expect(run(process.execPath, [copy, 'server/main.ts'], { env: {} })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Media Search needs Node\.js 24\.2 or later, and this is v20\.20\.2\. .*\n$/,
    ) as string,
  });
  const other = `Object.defineProperty(process, 'platform', { value: 'freebsd' }); require(${JSON.stringify(launcher)})`;
  await expect(run(process.execPath, ['-e', other, 'x'], { env: {} })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Media Search runs on Linux .* for freebsd-\w+\.\n$/) as string,
  });
});

test('programs run through npm on a Node that is new enough, whatever the machine has', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'node', '--', '-p', 'process.version'], { cwd: root });
  const [major = 0, minor = 0] = stdout.slice(1).split('.').map(Number);
  expect(major * 100 + minor).toBeGreaterThanOrEqual(2402);
});
