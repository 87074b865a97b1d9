import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What the tests of PostgreSQL run on. */
export type TestDatabase = Disposable & {
  /** The URL of a server on which tests may make databases; undefined: there is none. */
  url: string | undefined;
  /** For the reader of the output. */
  description: string;
};

/** Where Debian and its relatives have all versions beside each other. */
const versionsFolder = '/usr/lib/postgresql';

/**
 * Finds a server for the tests: the one of `TEST_DATABASE_URL`, else one that is started for them from the programs of PostgreSQL on this
 * machine, where pgvector is installed with them.
 */
export async function findTestDatabase(): Promise<TestDatabase> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, description: 'the server of TEST_DATABASE_URL', [Symbol.dispose]: nothing };
  const programs = listPrograms();
  const usable = programs.find(hasVector);
  if (usable === undefined) {
    const reason = programs.length === 0 ? 'no programs of PostgreSQL 15 or later' : 'no pgvector beside PostgreSQL';
    const description = `PGlite for one file (${reason}, and TEST_DATABASE_URL is not set)`;
    return { url: undefined, description, [Symbol.dispose]: nothing };
  }
  try {
    return await startServer(usable);
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : 'for an unknown reason';
    return {
      url: undefined,
      description: `PGlite for one file (${usable} did not start: ${reason})`,
      [Symbol.dispose]: nothing,
    };
  }
}

const nothing = () => undefined;

/** Folders with the programs of PostgreSQL 15 or later, the newest first. */
function listPrograms(): string[] {
  const installed = existsSync(versionsFolder)
    ? readdirSync(versionsFolder).map((version) => path.join(versionsFolder, version, 'bin'))
    : [];
  const configured = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const folders = new Set([...installed, ...(configured.status === 0 ? [configured.stdout.trim()] : [])]);
  return [...folders]
    .filter((folder) => existsSync(path.join(folder, 'initdb')))
    .map((folder) => ({ folder, version: readVersion(folder) }))
    .filter(({ version }) => version >= 15)
    .toSorted((a, b) => b.version - a.version)
    .map(({ folder }) => folder);
}

const readVersion = (folder: string): number =>
  Number(/(\d+)/.exec(spawnSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout)?.[1]);

/** Whether pgvector belongs to them: its control file is in the folder of shared files. */
function hasVector(folder: string): boolean {
  const version = path.basename(path.dirname(folder));
  const shared = [
    path.join(folder, '../share/postgresql'),
    path.join(folder, '../share'),
    `/usr/share/postgresql/${version}`,
  ];
  return shared.some((each) => existsSync(path.join(each, 'extension/vector.control')));
}

/** Starts a server on a free port of this machine, with all it stores in a temporary folder. */
async function startServer(programs: string): Promise<TestDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-search-postgres-'));
  const account = unprivilegedAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const run = (program: string, options: string[]) =>
    execFileSync(path.join(programs, program), options, {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: folder,
      // Another home would be looked into for certificates.
      env: { ...process.env, HOME: folder },
      ...account,
    });
  const data = path.join(folder, 'data');
  const port = await findFreePort();
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C']);
  // Nothing has to outlast the tests; and each process of tests and service has connections.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];
  const options = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-k ${folder}`,
    ...settings.map((each) => `-c ${each}`),
  ];
  run('pg_ctl', ['-D', data, '-l', path.join(folder, 'log'), '-w', '-o', options.join(' '), 'start']);
  let running = true;
  const stop = () => {
    if (!running) return;
    running = false;
    run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop();
      process.exit(1);
    });
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    description: `a server of its own (${programs})`,
    [Symbol.dispose]: stop,
  };
}

/** PostgreSQL refuses to run as root. Undefined: this process is not root. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((option) =>
      spawnSync('id', [option, name], { encoding: 'utf8' }).stdout.trim(),
    );
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
