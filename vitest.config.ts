import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,server,src}/**/*.test.ts'],
    // The decoders, the database and the vector index are native modules, which want processes of their own.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
