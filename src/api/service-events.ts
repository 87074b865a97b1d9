import { ApiError } from '../../clients/typescript/api-error.ts';
import { client, currentApiKey, onApiKey } from './client.ts';
import { EventStream } from './event-stream.ts';
import { loadPart } from './parts.ts';

/** What happens in the workspace, while the page is visible and the service reports it. */
export const eventStream = new EventStream({
  async open(options) {
    const { subscribeToEvents } = await loadPart(() => import('../../clients/typescript/events.ts'));
    return subscribeToEvents(client, options);
  },
  isWanted: () => document.visibilityState === 'visible' && currentApiKey() !== null,
  isFinal: (error) => error instanceof ApiError,
});

document.addEventListener('visibilitychange', () => eventStream.update());
onApiKey(() => eventStream.restart());
// The key of another service is there from the beginning.
eventStream.update();
