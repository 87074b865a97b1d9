import type { FastifyBaseLogger } from 'fastify';
import { listInterruptedEnds } from '../../catalog/media/uploads.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { PubSub } from '../../messaging/pubsub/pubsub.ts';
import { type FinishParts, finishUpload } from './finish-upload.ts';
import { holdUpload } from './hold-upload.ts';

type Parts = FinishParts & { pubsub: PubSub; log: Pick<FastifyBaseLogger, 'error'> };

/**
 * Ends the uploads whose last bytes arrived at a process that was killed before it could make them items: their clients may only ask what became of
 * them. Throws the signal's reason.
 */
export async function finishInterruptedUploads({ log, ...parts }: Parts, signal: AbortSignal): Promise<void> {
  for (const { workspace_id, id } of await listInterruptedEnds(parts.db)) {
    signal.throwIfAborted();
    try {
      await holdUpload(parts, workspace_id, id, signal, async ({ row }) => {
        if (row.received === row.length) await finishUpload(parts, row);
      });
    } catch (error) {
      signal.throwIfAborted();
      // A refusal is its end, and its client is told.
      if (error instanceof ApiError && error.status < 500) continue;
      log.error({ workspace: workspace_id, upload: id, err: error }, 'an upload that has arrived could not be ended');
    }
  }
}
