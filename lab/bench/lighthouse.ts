import path from 'node:path';
import { median } from '@media-search/search-engine/vectors';
import { chromium } from '@playwright/test';
import lighthouse, { desktopConfig } from 'lighthouse';
import { prepareBrowser } from '../../e2e/browser.ts';
import { openDashboard } from '../../e2e/dashboard.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../server/testing/running-service.ts';

/**
 * Lighthouse on the library, a search and the highlights, over the sample clips that the service draws itself: performance,
 * accessibility and best practices, for a desktop and for a phone with Lighthouse's own slow network and processor. Each page is
 * measured several times and the median is taken. Fails below 95.
 *
 *     npm run build && npm run bench:install && npm run node -- lab/bench/lighthouse.ts
 */

const rounds = 3;
const goal = 95;
const port = 9333;
const categories = ['performance', 'accessibility', 'best-practices'] as const;
const pages = { library: '/', search: '/search?q=sunset', highlights: '/highlights' };
const forms = { desktop: desktopConfig, phone: undefined };

await using service = await startTestService();
const owner = await service.signIn();
const { data } = await owner.post<{ added: number }>('/manage/samples', {});
while ((await service.client.get<unknown[]>('/media?status=complete')).data.length < data.added) {
  await new Promise((resolve) => setTimeout(resolve, 500));
}

await using profile = await temporaryFolder();
const options = await prepareBrowser();
const browser = await chromium.launchPersistentContext(path.join(profile.path, 'browser'), {
  ...options,
  args: [...(options.args ?? []), `--remote-debugging-port=${port}`],
});
const page = browser.pages()[0] ?? (await browser.newPage());
await openDashboard(page, await service.signInLink());

console.log(`| page | form | ${categories.join(' | ')} |`);
console.log(`| --- | --- | ${categories.map(() => '---').join(' | ')} |`);
for (const [name, address] of Object.entries(pages)) {
  for (const [form, config] of Object.entries(forms)) {
    const scores: Record<string, number[]> = {};
    const failed = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const result = await lighthouse(
        service.url + address,
        { port, output: 'json', onlyCategories: [...categories], disableStorageReset: true, logLevel: 'error' },
        config,
      );
      for (const category of categories) {
        const { score, auditRefs } = result?.lhr.categories[category] ?? { score: 0, auditRefs: [] };
        (scores[category] ??= []).push(Math.round(100 * (score ?? 0)));
        for (const { id, weight } of auditRefs) {
          const audit = result?.lhr.audits[id];
          if (weight > 0 && audit?.score !== null && (audit?.score ?? 1) < 0.9) {
            failed.add(`${id} ${audit?.displayValue ?? ''}`.trim());
          }
        }
      }
    }
    const medians = categories.map((category) => median(scores[category] ?? []));
    console.log(`| ${name} | ${form} | ${medians.join(' | ')} |`);
    if (failed.size > 0) console.error(`  could be better: ${[...failed].join(', ')}`);
    if (medians.some((score) => score < goal)) process.exitCode = 1;
  }
}
await browser.close();
