import { expect, test } from 'vitest';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { distributeCatalog } from './distribute.ts';

// The server of the tests has no nodes to spread a catalog over.
test.skipIf(testDatabaseUrl === undefined)(
  `without Citus nothing is spread, and it says so; ${needsServer}`,
  async () => {
    await using t = await openFresh('postgres');
    await expect(distributeCatalog(t.db)).rejects.toThrow(/lacks the extension citus/);
  },
);
