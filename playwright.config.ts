import path from 'node:path';
import { defineConfig, devices } from '@playwright/test';
import { prepareBrowser } from './e2e/browser.ts';

// Each test starts processes that load the same modules: compiled once, they start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'compile');

const launchOptions = await prepareBrowser();

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/browser',
  // Node reads our TypeScript as it is, and keeps it compiled.
  build: { external: ['**/*.ts'] },
  // Each test has a workspace of its own, so none depends on another, nor on their order.
  fullyParallel: true,
  workers: 2,
  // Beside the tests of Vitest each takes longer than by itself: the longest a minute and a half.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  // As with Vitest: named at the end, a test that needs its second attempt is to be mended.
  retries: process.env['CI'] ? 1 : 0,
  forbidOnly: true,
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  // Traces take an eighth of the processor time, which CI has not: there the page of a failed test is described in text only.
  use: {
    launchOptions,
    trace: process.env['CI'] ? 'off' : { mode: 'retain-on-failure', screenshots: false },
    locale: 'en-GB',
    // So that a test says what it waited for in vain, which the end of its time does not.
    actionTimeout: 40_000,
    // Its requests pass by what tests watch and answer themselves. The test of the installed app allows it.
    serviceWorkers: 'block',
  },
  projects: [
    { name: 'desktop', grepInvert: /@phone-only/, use: { viewport: { width: 1440, height: 900 } } },
    { name: 'phone', grep: /@phone/, use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } } },
  ],
});
