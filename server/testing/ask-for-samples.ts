import { randomUUID } from 'node:crypto';
import { sampleNames } from '@media-search/media/samples/sample-names';
import type { Catalog } from '../catalog/schema.ts';
import type { Ask } from './ask-for-groups.ts';

/** Loads the samples into a workspace that seems to have all but the last: drawing twelve takes longer than all other requests. */
export async function askForSamples(ask: Ask, db: Catalog, workspaceId: string): Promise<void> {
  const now = new Date().toISOString();
  const common = {
    workspace_id: workspaceId,
    type: 'image',
    status: 'complete',
    size: 1,
    mime_type: 'image/png',
  } as const;
  await db
    .insertInto('media_items')
    .values(
      sampleNames.slice(0, -1).map((filename) => ({
        ...common,
        id: randomUUID(),
        filename,
        sha256: filename,
        chunk_count: 0,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  await ask('loadSamples', {});
}
