import type { ServerResponse } from 'node:http';

export type ShareDownloads = ReturnType<typeof createShareDownloads>;

/**
 * Responses that send the file of a public link, so that a link that is revoked gives nothing more.
 * Single process: a revocation ends the responses of its own process only.
 */
export function createShareDownloads() {
  const running = new Map<string, Set<ServerResponse>>();
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
    /** Ends all responses of a link. */
    end(shareId: string): void {
      for (const response of running.get(shareId) ?? []) response.destroy();
    },
  };
}
