import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { repository, runDocument } from '../../../scripts/document-blocks.ts';
import { startServiceOn, startTestService } from '../../testing/running-service.ts';

const lacksTools = ['bash', 'curl', 'npm'].some((tool) => spawnSync(tool, ['--version']).status !== 0);
const reason = 'this machine has no bash, curl or npm; the commands are tested without them too';

/** Makes a folder such as a checkout without any data: what `npm run admin` needs of the repository, as links. */
async function linkCheckout(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of ['package.json', 'node_modules', 'scripts', 'server', 'contract'])
    await symlink(path.join(repository, name), path.join(folder, name));
}

test('the commands of README.md do what it says, in a new checkout', async ({ skip }) => {
  skip(lacksTools, reason);
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  const checkout = folder.file('checkout');
  await linkCheckout(checkout);
  const output = await runDocument('README.md', {
    cwd: checkout,
    env: service.environment,
    replace: { 'http://127.0.0.1:8080': service.url },
  });
  expect(output('sign-in-link')).toMatch(/\/sign-in\?token=\S{43}\nservice_\S+\n$/);
  expect(output('plan assign')).toMatch(/^service_\S+\nstarter {2}Starter .*\nNewsroom is on the plan starter\.\n$/);
  expect(output('holiday.mp4')).toMatch(/"filename":"holiday\.mp4".*\{"success":true,"data":\[/s);
});

test('the commands of docs/models.md and docs/operations.md do what the pages say, on the data of a stopped service', async ({
  skip,
}) => {
  skip(lacksTools, reason);
  await using folder = await temporaryFolder();
  const checkout = folder.file('checkout');
  await linkCheckout(checkout);
  const data = path.join(checkout, 'data');
  await makePhoto(folder.file('quay.png'), plain(20, 30, 90));
  const { key, id } = await upload(data, folder.file('quay.png'));

  const models = await runDocument('docs/models.md', { cwd: checkout });
  expect(models('model list')).toContain('siglip-base-patch16-224');
  expect(models('model list')).toMatch(/^For this machine \(\d+ GB of memory, cores: \d+\): \S+\. It takes /m);
  const moved = folder.file('other');
  const output = await runDocument('docs/operations.md', {
    cwd: checkout,
    replace: { '/mnt/backup': `'${folder.path}'`, '/srv/other': `'${moved}'` },
  });
  expect(output('backup')).toContain('1 item');
  // Backed up, restored and moved: the same item, for the same key.
  await using again = await startServiceOn(moved, { workers: 0 });
  expect(again.key).toBe(key);
  expect((await again.client.get(`/media/${id}`)).data).toMatchObject({ filename: 'quay.png', status: 'complete' });
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
});

/** Starts a service on a folder, uploads a file, waits until it is indexed, and stops the service. */
async function upload(data: string, file: string): Promise<{ key: string; id: string }> {
  await using service = await startServiceOn(data);
  const { id } = (await service.client.upload(file)).data;
  await service.client.waitUntilIndexed(id);
  return { key: service.key, id };
}
