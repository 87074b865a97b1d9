import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { createProgress } from './progress.ts';

afterEach(() => void vi.useRealTimers());

test('what takes long says so in a log, every half a minute and not before', () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const progress = createProgress('Backing up', { stream });
  progress.addTotal(2 ** 20);
  for (let second = 0; second < 61; second++) {
    vi.setSystemTime(second * 1000);
    progress.advance(2 ** 10);
  }
  progress.end();
  expect(String(stream.read())).toBe(
    'Backing up: 31.0 KiB of 1.0 MiB, about 17 min left\nBacking up: 61.0 KiB of 1.0 MiB, about 16 min left\n',
  );
});
