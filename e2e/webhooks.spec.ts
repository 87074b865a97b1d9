import { expect } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { startReceiver } from '../server/testing/webhook-receiver.ts';
import { findViolations } from './axe.ts';
import { test } from './service.ts';

test.use({ settings: { workers: 0, allowedAddresses: ['127.0.0.1'] } });

test('an owner creates a webhook, sees what was sent and answered, and has it sent again', async ({
  service,
  page,
}) => {
  await using receiver = await startReceiver();
  await service.signInPage('/settings/webhooks');
  await expect(page.getByText('No webhooks.')).toBeVisible();

  await page.getByRole('button', { name: 'New webhook' }).click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await expect(form.getByRole('checkbox', { name: /being indexed/ })).not.toBeChecked();
  await expect(form.getByRole('checkbox', { name: /can be searched/ })).toBeChecked();
  await form.getByLabel('URL').fill('https://10.0.0.1/hook');
  await form.getByLabel('Description').fill('Publishes clips');
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form.getByText(/private IP address/)).toBeVisible();
  await expect(form.getByLabel('URL')).toBeFocused();
  await form.getByLabel('URL').fill(receiver.url);
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form).toBeHidden();

  const row = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem');
  await expect(row.getByText('Publishes clips')).toBeVisible();
  await expect(row.getByText('whsec_••••')).toBeVisible();
  await row.getByRole('button', { name: 'Reveal secret' }).click();
  await expect(row.getByText(/whsec_[A-Za-z0-9+/]{43}=/)).toBeVisible();

  // A receiver that is out of order, and then is not.
  receiver.answers.status = 500;
  receiver.answers.body = 'out of order';
  await row.getByRole('button', { name: 'Send test event' }).click();
  const log = page.getByRole('dialog', { name: 'Deliveries' });
  await expect(log.getByText('webhook.test', { exact: true })).toBeVisible();
  await log.getByText('webhook.test', { exact: true }).click();
  await expect(log.getByText('It answered with status 500.')).toBeVisible();
  await expect(log.getByRole('region', { name: 'Answer' })).toHaveText('out of order');
  await expect(log.getByRole('region', { name: 'Sent' })).toContainText('"type": "webhook.test"');
  expect(await findViolations(page)).toEqual([]);
  await expect(log.getByRole('button', { name: 'Send now' })).toBeVisible();
  // As if it was attempted some time ago, and the next attempt is far away.
  await service.db
    .updateTable('webhook_deliveries')
    .set({ last_attempt_at: '2026-11-01T00:00:00.000Z', next_attempt_at: '2100-01-01T00:00:00.000Z' })
    .execute();
  receiver.answers.status = 200;
  const sent = receiver.messages.length;
  await log.getByRole('button', { name: 'Send all waiting now' }).click();
  await expect(page.getByText('One event is being sent.')).toBeVisible();
  await expect(log.getByText('Delivered')).toBeVisible();
  await log.getByRole('button', { name: 'Resend', exact: true }).click();
  await expect.poll(() => receiver.messages.length).toBe(sent + 2);
  await page.keyboard.press('Escape');

  await row.getByRole('button', { name: 'Enabled' }).click();
  await expect(row.getByText(/Disabled by an owner/)).toBeVisible();
  await expect(row.getByRole('button', { name: 'Send test event' })).toBeDisabled();
  await row.getByRole('button', { name: 'Enabled' }).click();
  await expect(row.getByText(/Disabled/)).toBeHidden();
  await makePhoto(service.file('red.png'), plain(200, 20, 20));
  await service.client.upload(service.file('red.png'));
  await receiver.next((type) => type === 'media.created');

  await row.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No webhooks.')).toBeVisible();
});
