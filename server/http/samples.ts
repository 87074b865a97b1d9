import { createHash, randomUUIDv7 } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { detectMediaType } from '../assets/detect-media-type.ts';
import { addMedia, hasFilename } from '../catalog/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import { sampleNames } from '../samples/sample-names.ts';
import { serveMemberOperation } from './dashboard-session.ts';
import { overQuota } from './quota.ts';

export type SampleRouteParts = {
  db: Catalog;
  assets: AssetStore;
  queryPool: QueryPool;
  /** Told after each item was stored. */
  onStored: () => void;
};

/** Drawing all of them takes some seconds; a slow machine gets more. */
const seconds = 180;

/** `POST /manage/samples`: draws the samples one by one and stores each as if it had been uploaded. */
export function serveSamples(app: FastifyInstance, { db, assets, queryPool, onStored }: SampleRouteParts): void {
  serveMemberOperation(
    app,
    db,
    dashboardOperations.loadSamples,
    async ({ workspaceId, signal }) => {
      const folder = await assets.newUploadFolder();
      let added = 0;
      try {
        for (const name of sampleNames) {
          // Drawn again its bytes would differ: encoders are not that exact.
          if (await hasFilename(db, workspaceId, name)) continue;
          const file = path.join(folder, 'file');
          await queryPool.run({ kind: 'sample', name, path: file }, signal);
          await store(workspaceId, file, name);
          added += 1;
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      return { data: { added } };
    },
    { seconds },
  );

  async function store(workspaceId: string, file: string, filename: string): Promise<void> {
    const bytes = await readFile(file);
    const detected = await detectMediaType(file);
    if (!detected) throw new Error(`The sample ${filename} is no media.`);
    const media = {
      workspace_id: workspaceId,
      id: randomUUIDv7(),
      filename,
      type: detected.type,
      mime_type: detected.mimeType,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      creator_id: null,
      category_id: null,
    };
    await assets.adoptOriginal(file, media);
    const stored = await addMedia(db, media, () => Promise.resolve());
    if (stored.kind !== 'added') await assets.remove(media);
    if (stored.kind === 'excess') throw overQuota(stored.excess);
    onStored();
  }
}
