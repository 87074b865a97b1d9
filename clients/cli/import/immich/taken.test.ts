import { expect, test } from 'vitest';
import { toTaken } from './taken.ts';

test.for([
  ['2026-07-14T21:12:08.250Z', '2026-07-14T19:12:08.250Z', 'Europe/Lisbon', '2026-07-14T21:12:08.250+02:00'],
  ['2026-07-14T15:42:08.000Z', '2026-07-14T19:12:08.000Z', 'America/St_Johns', '2026-07-14T15:42:08.000-03:30'],
  ['2026-07-14T19:12:08.000Z', '2026-07-14T19:12:08.000Z', 'UTC', '2026-07-14T19:12:08.000+00:00'],
  // Without a zone the instant is a guess of the server.
  ['2026-07-14T21:12:08.000Z', '2026-07-14T19:12:08.000Z', null, '2026-07-14T21:12:08.000'],
  ['2026-07-14T21:12:08.000Z', '2026-07-10T19:12:08.000Z', 'UTC+2', '2026-07-14T21:12:08.000'],
  ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', 'UTC', null],
  ['nonsense', '2026-07-14T19:12:08.000Z', null, null],
  ['2026-07-14T21:12:08.000Z', 'nonsense', 'UTC', '2026-07-14T21:12:08.000'],
] as const)('%s, %s, %s', ([local, instant, zone, taken]) => {
  expect(toTaken(local, instant, zone)).toBe(taken);
});
