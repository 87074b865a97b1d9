import { openCatalogAt, serviceOptions } from '../catalog/catalog-location.ts';
import { startMemoryRanker } from './memory-search.ts';
import { textEmbedder } from './search-setup.ts';

/** A process that builds the index of a workspace, says so and goes on until it is killed: URL of the database, folder, workspace. */

const [url = '', indexDirectory = '', workspaceId = ''] = process.argv.slice(2);
const db = await openCatalogAt({ url }, serviceOptions);
const ranker = startMemoryRanker({
  db,
  location: { url },
  indexDirectory,
  getEmbedder: () => Promise.resolve(textEmbedder),
  onProblem: (error) => {
    throw error;
  },
});
await ranker.background(workspaceId, textEmbedder, new Float32Array(textEmbedder.dimensions));
process.send?.('built');
process.once('disconnect', () => process.exit());
