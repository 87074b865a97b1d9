import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FromSourceProcess, ToSourceProcess } from './source-process-messages.ts';

/** A process that answers what a test says, and goes when a test says. */
class FakeProcess extends EventEmitter {
  pid = 1;
  exitCode: number | null = null;
  signalCode: string | null = null;
  asked: ToSourceProcess[] = [];
  kill = vi.fn();
  send = (message: ToSourceProcess) => void this.asked.push(message);
  says = (message: FromSourceProcess) => void this.emit('message', message);
}
const started: FakeProcess[] = [];
vi.mock('node:child_process', () => ({
  fork: () => {
    const child = new FakeProcess();
    started.push(child);
    return child;
  },
}));

beforeEach(() => {
  started.length = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

async function setUp(root: string) {
  const { createFolderReader } = await import('./folder-reader.ts');
  const onChange = vi.fn();
  const reader = createFolderReader({ root, dataDirectory: '/d', include: [], exclude: [], watch: true }, onChange);
  return { reader, onChange };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** How a promise ended, after some time: the code of its error. */
function outcomeOf(promise: Promise<unknown>): { code?: string } {
  const outcome: { code?: string } = {};
  promise.then(
    () => (outcome.code = 'answered'),
    (error: { code: string }) => (outcome.code = error.code),
  );
  return outcome;
}

test('a process that tells that it is answered is waited for, one that is silent is not, and no second is started before it is gone', async () => {
  const { reader } = await setUp('/slow');
  const outcome = outcomeOf(reader.root());
  for (let i = 0; i < 10; i++) {
    await pass(10_000);
    started[0]?.says({ kind: 'alive' });
  }
  expect(outcome.code).toBeUndefined();
  await pass(22_000);
  expect(outcome.code).toBe('hangs');
  expect(started[0]?.kill).toHaveBeenCalled();

  const again = outcomeOf(reader.root());
  const { reader: other } = await setUp('/slow');
  const another = outcomeOf(other.root());
  await pass(3000);
  expect([again.code, another.code, started.length]).toEqual(['hangs', 'hangs', 1]);

  started[0]?.emit('exit');
  void reader.root().catch(() => undefined);
  await pass(10);
  expect(started).toHaveLength(2);
});

test('files are asked about some at a time', async () => {
  const { reader } = await setUp('/many');
  const answers = reader.ask(Array.from({ length: 450 }, (_, i) => ({ path: String(i), want: 'identity' as const })));
  const child = () => started[0] as FakeProcess;
  const sizes: number[] = [];
  for (let i = 0; i < 3; i++) {
    await pass(10);
    const message = child().asked.at(-1);
    if (message?.kind !== 'ask') throw new Error('nothing is asked');
    sizes.push(message.questions.length);
    const value = message.questions.map(({ path }) => ({ identity: path, names: 1, hash: null }));
    child().says({ kind: 'answer', id: message.id, value });
  }
  expect(sizes).toEqual([200, 200, 50]);
  expect((await answers).map((answer) => answer?.identity)).toEqual(Array.from({ length: 450 }, (_, i) => String(i)));
});

test('when changes are told of no more, any may have been missed', async () => {
  const { reader, onChange } = await setUp('/watched');
  void reader.root().catch(() => undefined);
  await pass(10);
  started[0]?.says({ kind: 'watching', watching: true });
  expect(reader.isWatching()).toBe(true);
  started[0]?.says({ kind: 'watching', watching: false });
  expect([reader.isWatching(), onChange.mock.calls]).toEqual([false, [[[]]]]);
  started[0]?.says({ kind: 'watching', watching: true });
  started[0]?.emit('exit');
  expect([reader.isWatching(), onChange.mock.calls]).toEqual([false, [[[]], [[]]]]);
});
