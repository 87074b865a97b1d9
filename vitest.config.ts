import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

// The tests start some hundred processes, which load the same modules: compiled once, they start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'compile');

/** Puts where the JSON report shows it why a test was skipped, and whether it passed at its second attempt; `scripts/test.ts` prints both. */
const reasons: Reporter = {
  onTestCaseResult(test) {
    const result = test.result();
    if (result.state === 'skipped') Object.assign(test.meta(), { skipped: result.note });
    if (test.diagnostic()?.flaky) Object.assign(test.meta(), { flaky: true });
  },
};

/** Mostly waits, for leases of killed processes to end: begun last, it would go on by itself when all others are done. */
const first = 'server/cluster.test.ts';

class LongWaitFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith(first));
    return (await super.sort(files)).toSorted((a, b) => isFirst(b) - isFirst(a));
  }
}

/** Tests that replace modules or globals, or measure the memory of their process: each has one of its own. */
const alone = [
  'server/http/protocol/client-disconnect.test.ts',
  'server/assets/asset-store.test.ts',
  'server/sources/folder-reader.test.ts',
  'server/sources/broken-files.test.ts',
  'src/api/fetch-client.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      // Test files that share a process load its modules once, which saves a third of the processor time.
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['{clients,contract,packages,scripts,server,src}/**/*.test.ts'],
          exclude: alone,
        },
      },
      { extends: true, test: { name: 'isolated', include: alone } },
    ],
    reporters: ['default', reasons, ['json', { outputFile: 'test-results/vitest.json' }]],
    // The decoders and the database are native modules, which want processes of their own.
    pool: 'forks',
    sequence: { sequencer: LongWaitFirst },
    // Most tests wait for the processes and files that they work with, so more than one a core is quicker.
    maxWorkers: availableParallelism() + 1,
    // What comes by itself comes late beside other tests.
    expect: { poll: { timeout: 20_000 } },
    // In CI what fails once may try again, but it is named at the end: a test that needs that is to be mended.
    retry: process.env['CI'] ? 1 : 0,
    // Three times what the longest take beside all others.
    testTimeout: 150_000,
    hookTimeout: 150_000,
  },
});
