import { expect } from '@playwright/test';
import { test } from './service.ts';

test('where the operator allows no folder, owners are told what would', async ({ page, service }) => {
  await service.signInPage('/sources');
  await expect(page).toHaveURL(/\/settings\/sources$/);
  await expect(page.getByText('The operator of this server has not allowed any folder or bucket.')).toBeVisible();
  await expect(page.getByText('SOURCE_ROOTS', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add source' })).toHaveCount(0);
});
