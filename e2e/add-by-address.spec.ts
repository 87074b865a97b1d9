import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { expectToast } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: { allowedAddresses: ['127.0.0.1'] }, expectedErrors: /status of 422/ });

test('a file is added by its address, pasted or typed; what is wrong is said in the dialog', async ({
  page,
  service,
}) => {
  await makePhoto(service.file('red.png'), plain(215, 25, 25));
  const photo = await readFile(service.file('red.png'));
  await using source = createServer((request, response) => {
    response.writeHead(request.url === '/red.png' ? 200 : 404).end(photo);
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  await service.signInPage('/trash');
  await expect(page.getByRole('heading', { name: 'Trash', exact: true })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('address');
  await page.getByRole('option', { name: 'Add by address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add by address' });
  await dialog.getByLabel('Address of a video or an image').fill(`${address}/missing.png`);
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText('The URL responded with status 404.');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, `${address}/red.png`);
  await expect(dialog.getByLabel('Address of a video or an image')).toHaveValue(`${address}/red.png`);
  await page.keyboard.press('Enter');
  await expectToast(page, 'red.png was added.');
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'red.png' })).toBeVisible();
});
