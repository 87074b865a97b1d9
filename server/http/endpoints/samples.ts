import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import { hasFilename } from '../../catalog/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryPool } from '../../query-workers/query-pool.ts';
import { sampleNames } from '../../samples/sample-names.ts';
import { storeMedia } from '../../uploads/store-media.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';

export type SampleRouteDependencies = {
  db: Catalog;
  assets: AssetStore;
  queryPool: QueryPool;
  /** Told after each item was stored. */
  onStored: () => void;
};

/** Drawing all of them takes some seconds; a slow machine gets more. */
const seconds = 180;

/** `POST /manage/samples`: draws the samples one by one and stores each as if it had been uploaded. */
export function serveSamples(app: FastifyInstance, { db, assets, queryPool, onStored }: SampleRouteDependencies): void {
  serveMemberOperation(
    app,
    db,
    dashboardOperations.loadSamples,
    async ({ workspaceId, signal }) => {
      let added = 0;
      await assets.withScratchFolder(async (folder) => {
        for (const name of sampleNames) {
          // Drawn again its bytes would differ: encoders are not that exact.
          if (await hasFilename(db, workspaceId, name)) continue;
          const file = path.join(folder, 'file');
          await queryPool.run(workspaceId, { kind: 'sample', name, path: file }, signal);
          const bytes = await readFile(file);
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          const drawn = { path: file, filename: name, size: bytes.length, sha256 };
          await storeMedia({ db, assets }, workspaceId, drawn, {}, () => Promise.resolve());
          onStored();
          added += 1;
        }
      });
      return { data: { added } };
    },
    { kind: 'heavy', seconds },
  );
}
