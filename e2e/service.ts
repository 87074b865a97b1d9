import path from 'node:path';
import { test as base, type ConsoleMessage, expect } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { assignPlan, type Plan, savePlan } from '../server/catalog/plans.ts';
import { makePhoto, makeVideo, type Paint, type VideoOptions } from '../server/samples/draw-media.ts';
import { type Service, startService } from '../server/service.ts';
import { startTestService, testSettings } from '../server/testing/running-service.ts';
import { openDashboard } from './dashboard.ts';

type Running = Awaited<ReturnType<typeof startTestService>> & {
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
  /** The real service on an empty data folder, for one test. */
  service: Running;
  /** Errors in the browser's console that a test provokes. */
  expectedErrors: RegExp;
  /** What the service embeds with: without weights, unless a test is about them. */
  embedder: string;
  /** Number of indexing workers: none saves the start of a process where nothing is indexed. */
  indexers: number;
  /** Whether it reads what is written and said: off, unless a test is about that. */
  reading: 'auto' | 'off';
  /** Private addresses that the service may connect to. */
  allowedAddresses: string[];
};

/** A page has a stream of events for as long as there is a service or a proxy; the browser calls its end an error. */
const isEndOfStream = (message: ConsoleMessage): boolean =>
  message.text().includes('net::ERR_') && message.location().url.endsWith('/api/v1/events');

/** Starts a service for each test and fails it on any error that the page reports. */
export const test = base.extend<Fixtures>({
  // Chromium reports each refusal (4xx) and a service that is away as errors of its own; the page shows those to people.
  expectedErrors: [/status of 4\d\d|net::ERR_(CONNECTION|SOCKET)/, { option: true }],
  embedder: ['descriptors', { option: true }],
  indexers: [1, { option: true }],
  reading: ['off', { option: true }],
  allowedAddresses: [[], { option: true }],
  service: async ({ page, expectedErrors, embedder, indexers, reading, allowedAddresses }, provide) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (isEndOfStream(message)) return;
      if (message.type() === 'error' && !expectedErrors.test(message.text()))
        errors.push(`${message.text()} (${message.location().url})`);
    });
    const chosen = { embedder, workers: indexers, ocr: reading, speech: reading, allowedAddresses };
    await using service = await startTestService(chosen);
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
        const settings = {
          ...testSettings(file('data')),
          ...chosen,
          port: Number(new URL(service.url).port),
        };
        const again: Service = await startService(settings);
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
