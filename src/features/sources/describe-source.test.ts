import { expect, test } from 'vitest';
import { describeAddable, describeScan, describeState, mayBeDeleted, nameState } from './describe-source.ts';

const items = { pending: 0, indexing: 0, complete: 4, error: 0 };
const scan = { found: 812, added: 3, changed: 0, moved: 1, gone: 0, failed: 0, started_at: '2026-11-21T09:30:00.000Z' };
const ready = { state: 'ready', problem: null, offline_since: null, watching: true, scan: null, items } as const;
const offline = {
  ...ready,
  state: 'offline',
  problem: { code: 'not_there', message: 'Its folder is not there.' },
  offline_since: '2026-11-21T09:30:00.000Z',
} as const;

test('what is indexed is up to date, unless items wait or something is wrong', () => {
  expect(nameState(ready)).toEqual({ text: 'Up to date', tone: 'good' });
  expect(nameState({ ...ready, items: { ...items, indexing: 1 } }).text).toBe('Indexing');
  const problem = { code: 'mostly_missing', message: 'Most of it is missing.' };
  expect(nameState({ ...ready, problem })).toEqual({ text: 'Needs attention', tone: 'danger' });
  expect(describeState({ ...ready, problem })).toBe('Most of it is missing.');
});

test('of what is offline it says why, since when and what still works', () => {
  const text = describeState(offline);
  expect(text).toMatch(/^Its folder is not there\. It has been offline since .*2026.*: its items stay searchable/);
  expect(text).toContain('nothing is deleted');
  expect(nameState(offline)).toEqual({ text: 'Offline', tone: 'danger' });
});

test('a scan says how much it found, and whether changes are told of or looked for', () => {
  expect(describeState({ ...ready, state: 'scanning', scan })).toContain('812 files found so far');
  expect(describeState({ ...ready, state: 'scanning', scan: { ...scan, found: 1 } })).toContain('1 file found so far');
  expect(describeState(ready)).toContain('tells of changes');
  expect(describeState({ ...ready, watching: false })).toContain('again and again');
});

test('a scan names what happened and leaves out what did not', () => {
  expect(describeScan(scan)).toBe('3 added, 1 moved');
  expect(describeScan({ ...scan, added: 0, moved: 0 })).toBe('nothing changed');
});

test('whether files were deleted is asked where they are missing, not where the system says that it cannot reach them', () => {
  const isAsked = (code: string) => mayBeDeleted({ problem: { code, message: '' } });
  expect(['mostly_missing', 'empty', 'not_mounted', 'other_disk'].map(isAsked)).toEqual([true, true, true, true]);
  expect(['enoent', 'eio', 'hangs'].map(isAsked)).toEqual([false, false, false]);
  expect(mayBeDeleted({ problem: null })).toBe(false);
});

test('what may be added is said by the roots that are allowed', () => {
  expect(describeAddable(['/mnt/nas', '/mnt/ssd'])).toBe('a folder of the server');
  expect(describeAddable(['s3://footage'])).toBe('a folder of a bucket');
  expect(describeAddable(['s3://footage', '/mnt/nas'])).toBe('a folder of the server or of a bucket');
});
