import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Settings } from '../../settings.ts';
import { openDataCatalog } from '../open-data-directory.ts';
import { distributeCatalog } from '../transfer/distribute.ts';
import { exclude } from './exclude.ts';

/** `admin database distribute`: spreads the catalog over the nodes of Citus. @returns the exit status */
export async function runDistribute(settings: Settings): Promise<number> {
  const { databaseUrl } = settings;
  if (databaseUrl === null) {
    throw new StartupError('The catalog is a file, which cannot be spread over servers: move it to PostgreSQL first.');
  }
  await using alone = await exclude(databaseUrl);
  void alone;
  const { assets } = await openStoredFiles(settings);
  const db = await openDataCatalog(settings, assets, { atStart: false });
  try {
    const { nodes, shards, tables } = await distributeCatalog(db);
    console.log(
      `The catalog is spread over ${nodes} nodes: ${tables.sharded} tables by workspace in ${shards} shards each, ${tables.everywhere} on every node.`,
    );
    return 0;
  } finally {
    await db.destroy();
  }
}
