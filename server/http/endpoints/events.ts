import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { toEventTypes } from '../../../contract/events.ts';
import { operations } from '../../../contract/operations.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** `GET /events`. */
export function serveEvents(app: FastifyInstance, { eventFeed }: Dependencies): void {
  serveOperation(
    app,
    operations.streamEvents,
    async ({ workspaceId, query, request, reply, signal }) => {
      void reply
        .type('text/event-stream')
        .header('Cache-Control', 'private, no-store')
        // nginx would keep events back until it has a buffer full of them.
        .header('X-Accel-Buffering', 'no');
      if (request.method === 'HEAD') return { data: Readable.from([]) };
      const named = request.headers['last-event-id'];
      const data = await eventFeed.open({
        workspaceId,
        keyId: request.apiKeyId,
        lastEventId: (typeof named === 'string' && named !== '' ? named : query.last_event_id) ?? null,
        types: query.types === undefined ? null : new Set(toEventTypes(query.types)),
      });
      // The stream of a client that is gone is neither read nor closed by a response.
      if (signal.aborted) data.destroy();
      return { data };
    },
    { kind: 'stream', timeoutSeconds: null },
  );
}
