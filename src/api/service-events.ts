import { ApiError } from '../../clients/typescript/api-error.ts';
import { client, currentApiKey, onApiKey } from './client.ts';
import { EventStream } from './event-stream.ts';
import { getWorkspace } from './generated/api/index.ts';
import { loadPart } from './parts.ts';

/**
 * Asks the service whether it is there: a stream that breaks is the first sign that it is not, and the next request of the page may be far. What
 * the browser thinks of the network proves nothing: the service may run on this very machine.
 */
const probe = (): void => void getWorkspace().catch(() => undefined);
window.addEventListener('offline', probe);

/** What happens in the workspace, while the page is visible and the service reports it. */
export const eventStream = new EventStream({
  async open(options) {
    const { subscribeToEvents } = await loadPart(() => import('../../clients/typescript/events.ts'));
    return subscribeToEvents(client, {
      ...options,
      onState: (live, problem) => {
        options.onState?.(live, problem);
        if (!live) probe();
      },
    });
  },
  isWanted: () => document.visibilityState === 'visible' && currentApiKey() !== null,
  isFinal: (error) => error instanceof ApiError,
});

document.addEventListener('visibilitychange', () => eventStream.update());
onApiKey(() => eventStream.restart());
// The key of another service is there from the beginning.
eventStream.update();
