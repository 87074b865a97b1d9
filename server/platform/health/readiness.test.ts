import { expect, test } from 'vitest';
import { createReadiness } from './readiness.ts';

function setUp(check: () => Promise<string | null>, isShared = false) {
  const lines: unknown[] = [];
  const note = (details: object) => void lines.push(details);
  return { lines, readiness: createReadiness({ storage: { check, isShared } }, { error: note, warn: note } as never) };
}

test('a part that fails makes the process not ready, and its sentence goes to the log only', async () => {
  const { lines, readiness } = setUp(() => Promise.reject(new Error('bucket x: access denied')));
  expect(await readiness.report()).toEqual({ status: 'not ready', checks: { storage: 'failed' } });
  expect(lines).toEqual([{ part: 'storage', problem: 'bucket x: access denied' }]);
});

test('without a part that all processes share, requests are wanted', async () => {
  const { readiness } = setUp(() => Promise.resolve('gone'), true);
  expect(await readiness.report()).toEqual({ status: 'degraded', checks: { storage: 'failed' } });
  readiness.beginStop();
  expect((await readiness.report()).status).toBe('stopping');
});

test('a part of its own that fails beside a shared one makes the process not ready', async () => {
  const failing = () => Promise.resolve('gone');
  const parts = { storage: { check: failing, isShared: true }, models: { check: failing, isShared: false } };
  const readiness = createReadiness(parts, { error: () => undefined, warn: () => undefined } as never);
  expect((await readiness.report()).status).toBe('not ready');
});

test('a part that does not answer fails after a second', async () => {
  const { readiness } = setUp(() => new Promise(() => undefined));
  const begun = performance.now();
  expect(await readiness.report()).toMatchObject({ checks: { storage: 'failed' } });
  expect(performance.now() - begun).toBeLessThan(2000);
});

test('however many ask, each part is looked at once in two seconds', async () => {
  let looks = 0;
  const { readiness } = setUp(() => {
    looks += 1;
    return Promise.resolve(null);
  });
  const reports = await Promise.all(Array.from({ length: 50 }, () => readiness.report()));
  expect(reports.every(({ status }) => status === 'ready')).toBe(true);
  expect(looks).toBe(1);
});

test('from the begin of a stop on no requests are wanted, though all parts work', async () => {
  const { readiness } = setUp(() => Promise.resolve(null));
  readiness.beginStop();
  expect(await readiness.report()).toEqual({ status: 'stopping', checks: { storage: 'ok' } });
});
