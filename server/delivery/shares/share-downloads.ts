import type { ServerResponse } from 'node:http';
import type { Notices } from '../../messaging/pubsub/pubsub.ts';

export type ShareDownloads = ReturnType<typeof createShareDownloads>;

/**
 * Responses that send the file of a public link, so that a link that is revoked gives nothing more, whichever process revoked it. Where notices may
 * have been missed all end: clients ask for the rest again, which is refused where the link is gone.
 */
export function createShareDownloads(notices: Pick<Notices, 'subscribe' | 'onGap'>) {
  const running = new Map<string, Set<ServerResponse>>();
  const end = (shareId: string): void => {
    for (const response of running.get(shareId) ?? []) response.destroy();
  };
  notices.subscribe('shares', end);
  notices.onGap(() => {
    for (const shareId of running.keys()) end(shareId);
  });
  return {
    /** Notes a response until it has ended. */
    add(shareId: string, response: ServerResponse): void {
      const responses = running.get(shareId) ?? new Set();
      running.set(shareId, responses.add(response));
      response.once('close', () => {
        responses.delete(response);
        if (responses.size === 0 && running.get(shareId) === responses) running.delete(shareId);
      });
    },
  };
}
