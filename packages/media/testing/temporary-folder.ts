import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** An empty folder for a test, removed when the test's `await using` ends. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string; file(name: string): string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'media-search-test-'));
  return {
    path: folder,
    file: (name) => path.join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
