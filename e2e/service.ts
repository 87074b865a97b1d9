import path from 'node:path';
import { test as base, expect } from '@playwright/test';
import { createSignInToken } from '../server/catalog/sessions.ts';
import { startTestService } from '../server/testing/running-service.ts';

type Running = Awaited<ReturnType<typeof startTestService>>;

type Fixtures = {
  /** The real service on an empty data folder, for one test. `enter` signs its owner in. */
  service: Running & { file(name: string): string; signInLink(): Promise<string>; signInPage(): Promise<void> };
  /** Errors in the browser's console that a test provokes. */
  expectedErrors: RegExp;
};

/** Starts a service for each test and fails it on any error that the page reports. */
export const test = base.extend<Fixtures>({
  // Chromium reports each refusal (4xx) and a service that is away as errors of its own; the page shows those to people.
  expectedErrors: [/status of 4\d\d|net::ERR_CONNECTION/, { option: true }],
  service: async ({ page, expectedErrors }, provide) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !expectedErrors.test(message.text()))
        errors.push(`${message.text()} (${message.location().url})`);
    });
    await using service = await startTestService();
    const signInLink = async () =>
      `${service.url}/sign-in?token=${await createSignInToken(service.db, service.workspaceId)}`;
    await provide({
      ...service,
      file: (name) => path.join(service.folder, name),
      signInLink,
      async signInPage() {
        await page.goto(await signInLink());
        await page.getByRole('navigation', { name: 'Main' }).waitFor();
      },
    });
    await page.close();
    expect(errors).toEqual([]);
  },
});
