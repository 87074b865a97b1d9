import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Workspace } from '../contract/workspace.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { revealApiKey } from './catalog/accounts/api-keys.ts';
import { createWorkspace } from './catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from './catalog/catalog-location.ts';
import { withStartLock } from './catalog/postgres/start-lock.ts';
import { planOptions } from './operations/admin/plans.ts';
import { loadSecrets } from './platform/crypto/secrets.ts';
import { waitForExit, spawnProgram } from './testing/programs.ts';
import { createTestClient, startTestService } from './testing/running-service.ts';
import { askServer, needsServer, temporaryDatabase, testDatabaseUrl } from './testing/temporary-database.ts';

test('the operator creates workspaces and plans while the service runs; changes apply at once', async () => {
  await using service = await startTestService({ workers: 0 });
  const admin = (...args: string[]) =>
    waitForExit(spawnProgram('admin', args, { DATA_DIR: path.join(service.folder, 'data'), PORT: '8080' }));
  const read = async (client = service.client) => (await client.get<Workspace>('/workspace')).data;

  const made = await admin('workspace', 'create', 'Newsroom', '--owner', 'Ana Lima');
  expect(made).toMatchObject({ code: 0, err: '' });
  const newsroom = createTestClient(service.url, made.out.trim());
  expect(await read(newsroom)).toMatchObject({ name: 'Newsroom', plan: { id: 'self-hosted' } });
  expect((await admin('workspace', 'list')).out).toMatch(
    / {2}My workspace {2}.*\n.* {2}Newsroom {2}\(plan self-hosted\)\n$/,
  );
  expect((await admin('key', 'Newsroom')).out).toBe(made.out);
  expect((await admin('sign-in-link', 'Newsroom')).out).toMatch(
    /^http:\/\/127\.0\.0\.1:8080\/sign-in\?token=\S{43}\n$/,
  );

  const plan = await admin(
    'plan',
    'set',
    'starter',
    '--name',
    'Starter',
    '--media-items',
    '100',
    '--storage-bytes',
    '5000',
  );
  expect(plan.out).toBe(
    'starter  Starter  storage bytes 5000, media items 100, indexed seconds unlimited, searches per month unlimited\n',
  );
  expect((await admin('plan', 'assign', 'starter', 'Newsroom')).out).toBe('Newsroom is on the plan starter.\n');
  expect(await read(newsroom)).toMatchObject({
    plan: { id: 'starter', name: 'Starter', limits: { media_items: 100, storage_bytes: 5000 } },
    quota: { media_items: 100, storage_bytes: 5000, indexed_seconds: null },
  });
  await admin('plan', 'set', 'starter', '--storage-bytes', 'unlimited');
  expect((await read(newsroom)).plan.limits).toMatchObject({ media_items: 100, storage_bytes: null });
  const traffic = ['--uploads-at-once', '24', '--requests-per-minute', '60000'];
  expect((await admin('plan', 'set', 'starter', ...traffic)).out).toMatch(
    /, requests per minute 60000, uploads at once 24\n$/,
  );
  expect((await newsroom.get('/workspace')).headers.get('RateLimit-Policy')).toContain('q=60000');
  expect((await admin('plan', 'set', 'starter', '--uploads-at-once', 'usual')).out).toMatch(/minute 60000\n$/);
  expect((await admin('plan', 'list')).out.split('\n')).toHaveLength(3);
  expect((await read()).plan.id).toBe('self-hosted');
});

test('a failed command prints a sentence and exits with status 1', async () => {
  await using service = await startTestService({ workers: 0 });
  const settings = { DATA_DIR: path.join(service.folder, 'data') };
  const refusals: [string[], RegExp][] = [
    [[], /^Usage:/],
    [['fly'], /^Usage:/],
    [['key', '--shout'], /Unknown option '--shout'.*\n\nUsage:/s],
    [['plan', 'assign', 'gold'], /^There is no plan gold\. There are: self-hosted\.$/],
    [['plan', 'set', 'x', '--media-items', 'many'], /^--media-items must be a whole number or "unlimited"\.$/],
    [['plan', 'set', 'x', '--uploads-at-once', '0'], /^--uploads-at-once must be a whole number from 1, or "usual"\.$/],
    // It would have made a plan without the intended limit.
    [['plan', 'set', 'x', '--repair'], /^`plan set` takes no --repair; --help says which options it has\.$/],
    [['sample', 'Forest'], /^Usage:/],
    [
      ['sample', 'Desert.jpg', path.join(service.folder, 'd.jpg')],
      /^There is no sample Desert\.jpg\. There are: giraffes/,
    ],
    [['sample', 'koala.jpg', settings.DATA_DIR], /data exists already\.$/],
    [['sample', 'koala.jpg', path.join(service.folder, 'none', 'd.jpg')], /d\.jpg cannot be written\.$/],
    [['workspace', 'create', 'My workspace'], /^Give the workspace a name that no other has\.$/],
    [['key', 'Nowhere'], /^There is no workspace named Nowhere\. There are: My workspace\.$/],
  ];
  for (const [args, sentence] of refusals) {
    const { code, out, err } = await waitForExit(spawnProgram('admin', args, settings));
    expect([code, out], args.join(' ')).toEqual([1, '']);
    expect(err.trim()).toMatch(sentence);
  }
});

test('without a service there is nothing to manage', async () => {
  await using folder = await temporaryFolder();
  const { code, err } = await waitForExit(spawnProgram('admin', ['key'], { DATA_DIR: folder.path }));
  expect(code).toBe(1);
  expect(err).toMatch(/^There is no Media Search in .* yet; run npm start first, or set DATA_DIR\.\n$/);
});

test.each(['--help', '-h'])('admin %s lists the commands and succeeds, without any data', async (option) => {
  await using folder = await temporaryFolder();
  const { code, out, err } = await waitForExit(
    spawnProgram('admin', [option], { DATA_DIR: folder.file('none'), PORT: '8080' }),
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('plan set <id>');
  for (const limit of planOptions) expect(out).toContain(`[--${limit} <`);
});

test('a command beside a first start waits until that has made the catalog', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using folder = await temporaryFolder();
  await using database = await temporaryDatabase();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder.file('data'), SECRET_KEY_FILE: folder.file('key') };
  let asked: ReturnType<typeof waitForExit> | undefined;
  const key = await withStartLock(database.url, async () => {
    asked = waitForExit(spawnProgram('admin', ['key'], settings));
    await vi.waitFor(async () => {
      const waiting = await askServer(
        `select 1 from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and not granted and datname = $1`,
        [database.name],
      );
      expect(waiting).toHaveLength(1);
    }, 20_000);
    await using db = await openCatalogAt({ url: database.url }, serviceOptions);
    const secrets = await loadSecrets(settings.SECRET_KEY_FILE);
    const { id } = await createWorkspace(db, secrets, { workspace: 'W', owner: 'O' });
    return await revealApiKey(db, secrets, id);
  });
  expect(await asked).toMatchObject({ code: 0, err: '', out: `${key}\n` });
});

test('a database that is away is told in one sentence', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using folder = await temporaryFolder();
  const settings = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', DATA_DIR: folder.file('data') };
  const { code, err } = await waitForExit(spawnProgram('admin', ['key'], settings));
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^The database of DATABASE_URL cannot be .*ECONNREFUSED.*\n$/),
  ]);
});
