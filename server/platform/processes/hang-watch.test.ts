import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { createAdvanceReport, readProcessorSeconds, watchForHang } from './hang-watch.ts';

const running: ChildProcess[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A process that runs a script, which says once that it has begun. */
async function start(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', `console.log('begun'); ${script}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  await once(child.stdout, 'data');
  return child as typeof child & { pid: number };
}

const spinning = 'for (;;);';
const waiting = 'setTimeout(() => {}, 1e9);';

test.runIf(process.platform === 'linux')(
  'what uses processor time without advancing hangs; what is not given any does not',
  async () => {
    const patience = { processorSeconds: 0.3, clockSeconds: 600, lookSeconds: 0.05 };
    const [busy, idle] = await Promise.all([start(spinning), start(waiting)]);
    let idleHangs = false;
    const quiet = watchForHang(idle, () => (idleHangs = true), patience);
    quiet.advance();
    // Observed for as long as the other.
    await new Promise<void>((resolve) => {
      watchForHang(busy, resolve, patience).advance();
    });
    expect(await readProcessorSeconds(busy.pid)).toBeGreaterThan(0.3);
    expect(idleHangs).toBe(false);
    quiet.rest();
  },
);

test('what waits for ever hangs by the clock, which an advance sets back', async () => {
  const idle = await start(waiting);
  const events: string[] = [];
  await new Promise<void>((resolve) => {
    const patience = { processorSeconds: 600, clockSeconds: 0.5, lookSeconds: 0.05 };
    const watch = watchForHang(
      idle,
      () => {
        events.push('hang');
        resolve();
      },
      patience,
    );
    let advances = 0;
    const timer = setInterval(() => {
      events.push('advance');
      watch.advance();
      advances += 1;
      if (advances === 10) clearInterval(timer);
    }, 100);
    watch.advance();
  });
  expect(events).toEqual([...Array.from({ length: 10 }, () => 'advance'), 'hang']);
});

test('what rests does not hang', async () => {
  const idle = await start(waiting);
  let hangs = 0;
  const patience = { processorSeconds: 600, clockSeconds: 0.05, lookSeconds: 0.01 };
  const resting = watchForHang(idle, () => (hangs += 1), patience);
  resting.advance();
  resting.rest();
  await new Promise<void>((resolve) => {
    watchForHang(idle, resolve, { ...patience, clockSeconds: 0.3 }).advance();
  });
  expect(hangs).toBe(0);
});

test('a process that advances all the time says so now and then', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const sent: number[] = [];
  const begun = performance.now();
  const advance = createAdvanceReport(() => sent.push(performance.now() - begun));
  for (let i = 0; i < 100; i++) {
    advance();
    advance();
    vi.advanceTimersByTime(1);
  }
  expect(sent).toEqual([0, 20, 40, 60, 80]);
});
