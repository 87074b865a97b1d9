import { type Client, type ClientOptions, createCaller } from '../../clients/typescript/operations.ts';
import { noteReachable } from './reachability.ts';

/** What the generated client of the dashboard's own operations runs on: they go by the session's cookie, and are told of limits at once. */

export {
  type Client,
  type ClientMeta,
  type ClientOptions,
  type Config,
  createConfig,
  type Options,
  type RequestResult,
  type TDataShape,
} from '../../clients/typescript/operations.ts';

const transport = {
  baseUrl: '',
  fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
  hasOwnFetch: false,
  authorization: () => ({}),
  throttle: null,
  maxWaitSeconds: 0,
  onReachable: noteReachable,
};

export const createClient = (_config: ClientOptions): Client => createCaller(() => transport);
