import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** The script defines this global. */
type WithAxe = { axe?: typeof axe };

/**
 * What axe finds wrong with a page as it is, as `rule: element`. Loaded once for each load of a page, and told to report violations only:
 * a third of the processor time of `@axe-core/playwright`, which loads it twice for each analysis and describes all that is right too.
 * @param options.within a selector: only that part of the page
 * @param options.rules the identifiers of rules; all by default
 */
export async function findViolations(
  page: Page,
  { within, rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  const isLoaded = await page.evaluate(() => (globalThis as WithAxe).axe !== undefined);
  if (!isLoaded) await page.evaluate(axe.source);
  return page.evaluate(
    async ([selector, only]) => {
      const loaded = (globalThis as WithAxe).axe as typeof axe;
      // A theme that was just asked for is drawn in the next frames. Colours between those of two themes have no contrast, and an element that inherits one changes
      // only after its parent has.
      for (let still = 0, frames = 0; still < 3 && frames < 100; frames++) {
        await new Promise(requestAnimationFrame);
        const ending = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
        await Promise.allSettled(ending.map(({ finished }) => finished));
        still = ending.length === 0 ? still + 1 : 0;
      }
      const { violations } = await loaded.run(selector ?? document, {
        resultTypes: ['violations'],
        ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
      });
      return violations.flatMap(({ id: rule, nodes }) => nodes.map(({ html }) => `${rule}: ${html.slice(0, 160)}`));
    },
    [within, rules] as const,
  );
}
