import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { spawnProgram, waitForExit } from '../../testing/programs.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';

/** Nothing listens on this port. */
const nowhere = {
  database: { DATABASE_URL: 'postgres://media:secret-word@127.0.0.1:9/media' },
  bucket: {
    STORAGE_URL: 's3://media/a',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'secret-word',
  },
};

const commands = [
  'key',
  'check',
  'backup FOLDER',
  'restore FOLDER',
  'database distribute',
  'secret replace',
  'plan list',
];

test.each([
  ...commands.map((line) => ['database', line] as const),
  ...commands.filter((line) => !/restore|database/.test(line)).map((line) => ['bucket', line] as const),
])('without a %s, `admin %s` says so in one sentence', async (missing, line) => {
  await using folder = await temporaryFolder();
  const args = line.replace('FOLDER', folder.file('backup')).split(' ');
  const settings = { ...nowhere[missing], DATA_DIR: folder.file('data') };
  const { code, out, err } = await waitForExit(spawnProgram('admin', args, settings));
  const sentence = {
    database: /^The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:9\.\n$/,
    bucket:
      /^(?:The bucket of STORAGE_URL cannot be used: )?http:\/\/127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\); check [^\n]+\.\n$/,
  };
  expect(err).toMatch(sentence[missing]);
  expect([code, out]).toEqual([/^(?:check|backup|restore)/.test(line) ? 2 : 1, '']);
});

test('a folder that holds no backup is no reason to end with a stack trace, over PostgreSQL too', async (context) => {
  context.skip(testDatabaseUrl === undefined, needsServer);
  await using folder = await temporaryFolder();
  await using database = await temporaryDatabase();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder.file('data') };
  const { code, out, err } = await waitForExit(spawnProgram('admin', ['restore', folder.file('absent')], settings));
  expect([code, out, err]).toEqual([2, '', `${folder.file('absent')} holds no backup of Media Search.\n`]);
});
