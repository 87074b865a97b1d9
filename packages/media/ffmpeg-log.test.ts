import { setTimeout as delay } from 'node:timers/promises';
import { AV_LOG_ERROR, AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';
import { afterEach, expect, test, vi } from 'vitest';
import { limitFfmpegLog } from './ffmpeg-log.ts';

afterEach(() => void vi.useRealTimers());

test('of a flood of lines ten are written, and later how many there were; what is not fatal is not written', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const written: string[] = [];
  limitFfmpegLog((line) => written.push(line));
  Log.log(AV_LOG_ERROR, 'an error\n');
  for (let i = 0; i < 5000; i++) Log.log(AV_LOG_FATAL, `line ${i}\n`);
  // They come from the threads of decoders, one after the other.
  while (written.length < 10) await delay(10);
  await delay(100);
  expect(written).toEqual(Array.from({ length: 10 }, (_, i) => `FFmpeg: line ${i}`));
  vi.setSystemTime(Date.now() + 61_000);
  Log.log(AV_LOG_FATAL, 'one more\n');
  while (written.length < 12) await delay(10);
  expect(written.slice(10)).toEqual(['FFmpeg wrote 4990 more lines, which were left out', 'FFmpeg: one more']);
});
