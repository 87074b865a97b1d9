import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { readStorageSettings } from '../../assets/storage-settings.ts';
import { spawnProgram, waitForExit } from '../../testing/programs.ts';
import { startTestService } from '../../testing/running-service.ts';
import { type S3Server, startS3Server } from '../../testing/s3-server.ts';

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
});

afterAll(() => server[Symbol.asyncDispose]());

test('storage check tries the bucket, and lists what is missing and what has no owner, without a word of the keys', async () => {
  const environment = { ...server.environment, STORAGE_URL: 's3://media/a b' };
  await using service = await startTestService({ storage: readStorageSettings(environment), workers: 0 });
  const ids: string[] = [];
  for (const red of [10, 200]) {
    const photo = path.join(service.folder, `${red}.png`);
    await makePhoto(photo, plain(red, 9, 9));
    ids.push((await service.client.upload(photo)).data.id);
  }
  const check = (changes: Record<string, string> = {}) =>
    waitForExit(
      spawnProgram('admin', ['storage', 'check'], {
        ...environment,
        STORAGE_REDIRECT: '1',
        DATA_DIR: path.join(service.folder, 'data'),
        ...changes,
      }),
    );
  const fine = await check();
  expect(fine).toMatchObject({ code: 0, err: '' });
  const steps = ['write', 'read', 'tell what is missing', 'list', 'upload in parts', 'presign', 'clock', 'delete'];
  expect(fine.out).toBe(
    `s3://media/a b/\n${steps.map((step) => `  ${step}: works\n`).join('')}Every item has its original, and every original its item.\n`,
  );
  expect([...server.objects.keys()].filter((key) => key.includes('.probe'))).toEqual([]);
  expect(server.uploads.size).toBe(0);

  const key = (id: string) => `a b/assets/${service.workspaceId}/${id}/original`;
  const stored = server.objects.get(key(String(ids[1])));
  if (!stored) throw new Error('The original is not in the bucket.');
  server.objects.set(key('nobody'), { ...stored, at: new Date(0) });
  server.objects.set(key('young'), { ...stored, at: new Date() });
  server.objects.set(key(String(ids[1])), { ...stored, body: stored.body.subarray(1) });
  server.objects.delete(key(String(ids[0])));
  const found = await check();
  expect(found.code).toBe(1);
  expect(found.out).toContain(`10.png (${ids[0]}) is missing`);
  expect(found.out).toContain(
    `200.png (${ids[1]}) has ${stored.body.length - 1} bytes instead of ${stored.body.length}`,
  );
  expect(found.out).toContain(`1 folders belong to no item`);
  expect(found.out).toContain(`s3://media/a b/assets/${service.workspaceId}/nobody/`);

  // What the service has found to be lost stays where it is, and is no finding any more.
  const about = { found_at: new Date().toISOString(), reason: 'x', filename: null, size: 1, running_seconds: 0 };
  const manifest = { ...stored, body: Buffer.from(JSON.stringify(about)) };
  server.objects.set(`a b/lost+found/${service.workspaceId}/nobody.json`, manifest);
  const data = path.join(service.folder, 'data');
  const all = await waitForExit(spawnProgram('admin', ['check'], { ...environment, DATA_DIR: data }));
  expect(all.out).toContain(`10.png (${ids[0]}): its original is missing`);
  expect(all.out).not.toContain('nobody');

  // A catalog that is gone beside them is not taken for one that never was.
  const elsewhere = await waitForExit(
    spawnProgram('admin', ['key'], { ...environment, DATA_DIR: path.join(service.folder, 'another') }),
  );
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.err).toContain('is missing or empty, but s3://media/a b/ holds files that were uploaded');

  const wrong = await check({ AWS_SECRET_ACCESS_KEY: 'not-this-one' });
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain('write: http');
  expect(wrong.out).toContain('does not accept the credentials; set AWS_ACCESS_KEY_ID');
  for (const { out, err } of [fine, found, wrong]) expect(out + err).not.toMatch(/test-secret|not-this-one/);
});
