import path from 'node:path';
import { test as base, type ConsoleMessage, expect } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { makePhoto, makeVideo, type Paint, type VideoOptions } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { assignPlan, type Plan, savePlan } from '../server/catalog/accounts/plans.ts';
import { type Service, startService } from '../server/service.ts';
import type { Settings } from '../server/settings.ts';
import { startTestService, testSettings } from '../server/testing/running-service.ts';
import { openDashboard } from './dashboard.ts';

type TestService = Awaited<ReturnType<typeof startTestService>>;

type Running = TestService & {
  /** Path of a file for the test. */
  file(name: string): string;
  /** Uploads a file of the test and waits until it is indexed. */
  addFile(name: string, fields?: Record<string, string>): Promise<MediaItem>;
  /** Draws a photograph, uploads it and waits until it is indexed. */
  addPhoto(name: string, paint: Paint, size?: { width: number; height: number }): Promise<MediaItem>;
  /** Encodes a video, uploads it and waits until it is indexed. */
  addVideo(name: string, options: VideoOptions): Promise<MediaItem>;
  /** Makes or changes a plan and puts the workspace on it. */
  setPlan(id: string, changes: Partial<Omit<Plan, 'id'>>): Promise<void>;
  /** Starts the service again, once it was stopped, on the same data and port. */
  restart(): Promise<void>;
  /** Signs the owner in and opens an address of the dashboard. Links that sign in have tests of their own: through one each page loads twice. */
  signInPage(address?: string): Promise<void>;
};

type Fixtures = {
  /** A workspace for one test, with nothing in it, of the real service. */
  service: Running;
  /** Errors in the browser's console that a test provokes. */
  expectedErrors: RegExp;
  /**
   * Settings of a service for the one test. Without them it gets a workspace of a service that tests share: so its indexing process starts
   * once, not for each. `{}` is for a test that stops the service, fills its catalog or looks into its data folder.
   */
  settings: Partial<Settings> | null;
};

type WorkerFixtures = {
  /** Starts a service when a test first asks for it, for all that run in this process of Playwright. */
  shareService: () => Promise<TestService>;
};

/** A page has a stream of events for as long as there is a service or a proxy; the browser calls its end an error. */
const isEndOfStream = (message: ConsoleMessage): boolean =>
  message.text().includes('net::ERR_') && message.location().url.endsWith('/api/v1/events');

/** A new workspace of a service that others use too, as if the service were there for it alone. */
async function openWorkspace(shared: TestService): Promise<TestService> {
  const { id, key, client } = await shared.addWorkspace('My workspace', 'Owner');
  const folder = await temporaryFolder();
  return {
    ...shared,
    workspaceId: id,
    key,
    client,
    folder: folder.path,
    signInLink: (workspaceId = id) => shared.signInLink(workspaceId),
    signIn: (workspaceId = id) => shared.signIn(workspaceId),
    stop: () => Promise.reject(new Error('Other tests use this service: give the test its own, by `settings`.')),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Opens a workspace for each test and fails it on any error that the page reports. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  // Chromium reports each refusal (4xx) and a service that is away as errors of its own; the page shows those to people.
  expectedErrors: [/status of 4\d\d|net::ERR_(CONNECTION|SOCKET)/, { option: true }],
  settings: [null, { option: true }],
  shareService: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the pattern
    async ({}, provide) => {
      let started: Promise<TestService> | undefined;
      await provide(() => (started ??= startTestService()));
      await (await started)?.[Symbol.asyncDispose]();
    },
    { scope: 'worker' },
  ],
  service: async ({ page, expectedErrors, settings, shareService }, provide) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (isEndOfStream(message)) return;
      if (message.type() === 'error' && !expectedErrors.test(message.text()))
        errors.push(`${message.text()} (${message.location().url})`);
    });
    await using service = settings ? await startTestService(settings) : await openWorkspace(await shareService());
    await using restarted = new AsyncDisposableStack();
    const file = (name: string) => path.join(service.folder, name);
    const addFile = async (name: string, fields: Record<string, string> = {}) =>
      service.client.waitUntilIndexed((await service.client.upload(file(name), path.basename(name), fields)).data.id);
    await provide({
      ...service,
      file,
      addFile,
      async addPhoto(name, paint, size) {
        await makePhoto(file(name), paint, size);
        return addFile(name);
      },
      async addVideo(name, options) {
        await makeVideo(file(name), options);
        return addFile(name);
      },
      async setPlan(id, changes) {
        await savePlan(service.db, id, changes);
        await assignPlan(service.db, service.workspaceId, id);
      },
      async restart() {
        const port = Number(new URL(service.url).port);
        const again: Service = await startService({ ...testSettings(file('data')), ...settings, port });
        restarted.defer(() => again.stop());
      },
      async signInPage(address = '/') {
        const [name = '', value = ''] = (await service.signIn()).cookie().split('=', 2);
        await page.context().addCookies([{ name, value, url: service.url }]);
        await openDashboard(page, service.url + address);
      },
    });
    await page.close();
    expect(errors).toEqual([]);
  },
});
