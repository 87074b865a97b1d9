import { expect, test } from 'vitest';
import { createReadiness } from './readiness.ts';

function setUp(check: () => Promise<string | null>) {
  const lines: unknown[] = [];
  const note = (details: object) => void lines.push(details);
  return { lines, readiness: createReadiness({ storage: check }, { error: note, warn: note } as never) };
}

test('a part that fails makes the process not ready, and its sentence goes to the log only', async () => {
  const { lines, readiness } = setUp(() => Promise.reject(new Error('bucket x: access denied')));
  expect(await readiness.report()).toEqual({ status: 'not ready', checks: { storage: 'failed' } });
  expect(lines).toEqual([{ part: 'storage', problem: 'bucket x: access denied' }]);
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
