import type { CDPSession, Page } from '@playwright/test';

/** What a session limits stays limited, whatever a later one says. */
const sessions = new WeakMap<Page, CDPSession>();

/** Limits how fast a page sends, by the browser's own throttling. Bytes per second. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}
