import { expect, type Page } from '@playwright/test';

/** What moved by itself while a page loaded, by the sum of the layout shifts (CLS), and the elements that moved most. */
type LayoutShifts = { total: number; moved: string[] };

/** Shifts are recorded from the next page that is loaded on. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] };
    const shifts: LayoutShifts = { total: 0, moved: [] };
    Object.assign(window, { layoutShifts: shifts });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue;
        shifts.total += value;
        const nodes = sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 120) : 'a text'));
        shifts.moved.push(`${value.toFixed(3)}: ${nodes.join(' | ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Expects that nothing moved by itself since the page was loaded: by 0.02 at most, which nobody sees. */
export async function expectNoLayoutShift(page: Page): Promise<void> {
  const { total, moved } = await page.evaluate(
    () => (window as unknown as { layoutShifts: LayoutShifts }).layoutShifts,
  );
  expect.soft(total, `${page.url()} ${page.viewportSize()?.width}: ${moved.join('\n')}`).toBeLessThanOrEqual(0.02);
}
