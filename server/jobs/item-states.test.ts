import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import { checkers, drawImage, encodeVideo, plain, square } from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../testing/running-service.ts';

const size = { width: 320, height: 180 };
const paints = [plain(200, 20, 20), checkers(0), square([20, 160, 40], [240, 240, 240]), plain(20, 40, 200)];
const images = paints.map((paint) => drawImage(paint, size.width, size.height));

/** A video that is slow to index: long, and in a codec that no browser plays. Another image every two seconds. */
function makeSlowVideo(file: string, seconds: number): Promise<void> {
  const frames = Array.from({ length: 25 * seconds }, (_, pts) => ({
    image: images[Math.floor(pts / 50) % images.length] as (typeof images)[number],
    pts,
  }));
  return encodeVideo(file, frames, { ...size, codec: 'mpeg4' });
}

test(
  'a slow item is pending, then indexing with fractions that grow and never fall, then complete',
  { timeout: 300_000 },
  async () => {
    await using service = await startTestService({ workers: 1 });
    const { client, folder } = service;
    const seen: MediaItem[] = [];
    for (const [name, seconds] of [
      ['first.avi', 10],
      ['slow.avi', 90],
    ] as const) {
      await makeSlowVideo(path.join(folder, name), seconds);
    }
    // The only worker is busy with the first, so the second waits.
    await client.upload(path.join(folder, 'first.avi'));
    const slow = (await client.upload(path.join(folder, 'slow.avi'))).data;
    seen.push(slow);
    while (seen.at(-1)?.status !== 'complete') {
      const { data } = await client.get<MediaItem>(`/media/${slow.id}`);
      expect(data.status).not.toBe('error');
      seen.push(data);
      // Progress is stored every 700 ms.
      await delay(100);
    }

    const changes = seen.map(({ status }) => status).filter((status, i, all) => status !== all[i - 1]);
    expect(changes).toEqual(['pending', 'indexing', 'complete']);
    const [pending, indexing] = (['pending', 'indexing'] as const).map((status) =>
      seen.filter((item) => item.status === status).map(({ progress }) => progress),
    ) as [MediaItem['progress'][], MediaItem['progress'][]];
    expect(pending.length).toBeGreaterThan(1);
    for (const progress of pending) expect(progress).toEqual({ stage: 'queued', fraction: 0 });
    const fractions = indexing.map((progress) => progress?.fraction ?? Number.NaN);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    // Several of them, well between the ends.
    const between = new Set(fractions.filter((fraction) => fraction > 0.02 && fraction < 0.97));
    expect(between.size).toBeGreaterThanOrEqual(3);
    const stages = indexing.map((progress) => progress?.stage).filter((stage, i, all) => stage !== all[i - 1]);
    const order = ['queued', 'reading', 'analysing', 'rendering', 'storing'];
    expect(stages).toContain('analysing');
    expect(stages).toEqual(order.filter((stage) => stages.includes(stage as (typeof stages)[number])));
    expect(seen.at(-1)).toMatchObject({ progress: null, error: null, chunk_count: 45 });
    const changed = seen.map((item) => item.updated_at);
    expect(changed).toEqual(changed.toSorted());
  },
);
