import { expect, test } from 'vitest';
import type { Source } from '../../contract/sources.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readBucketAccess } from '../assets/storage-settings.ts';
import { openServiceDatabase, startServiceOn } from '../testing/running-service.ts';
import { startS3Server } from '../testing/s3-server.ts';

test('a source of the settings has to answer when it is added, not at each start after that', async () => {
  await using server = await startS3Server();
  await using folder = await temporaryFolder();
  await using database = await openServiceDatabase();
  const start = () =>
    startServiceOn(folder.file('data'), {
      ...database.settings,
      workers: 0,
      bucketAccess: readBucketAccess(server.environment),
      sources: [{ name: 'Archive', location: 's3://media' }],
    });
  server.inject('denied', { times: Infinity });
  await expect(start()).rejects.toThrow(
    /^A location of the setting SOURCES is wrong: it cannot be read: .* refuses access to the bucket media; the key needs s3:GetObject and s3:ListBucket on it\.$/,
  );
  server.calm();
  await (await start()).stop();
  server.inject('denied', { times: Infinity });
  await using service = await start();
  const list = async () => (await service.client.get<Source[]>('/sources')).data;
  await expect
    .poll(list, { timeout: 20_000 })
    .toMatchObject([{ name: 'Archive', managed: true, state: 'offline', problem: { code: 'access_denied' } }]);
});
