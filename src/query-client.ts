import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../clients/typescript/api-error.ts';
import { followItems } from './api/follow-items.ts';
import { sessionOptions } from './api/session.ts';
import { describeError } from './lib/describe-error.ts';
import { toast } from './ui/toast.ts';

/** A key that no longer works means that the session has ended or the key was rotated: asking again tells which. */
function onUnauthorized(error: Error): void {
  if (error instanceof ApiError && error.status === 401)
    void queryClient.invalidateQueries({ queryKey: sessionOptions.queryKey });
}

/** What was read from the service, and how often it is asked again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onUnauthorized }),
  mutationCache: new MutationCache({
    onError(error, _variables, _result, { meta }) {
      onUnauthorized(error);
      if (!meta?.errorShown) toast.error(describeError(error));
    },
    async onSuccess(_data, _variables, _result, { meta: { reload = [], done } = {} }) {
      await Promise.all(reload.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      if (done !== undefined) toast.success(done);
    },
  }),
  defaultOptions: {
    // The service may run on this very machine: what the browser thinks of the network says nothing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 2000,
      // A restart of the service passes by itself; a refusal does not.
      retry: (count, error) => count < 4 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      retryDelay: (count, error) =>
        error instanceof ApiError && error.retryAt !== null
          ? Math.max(0, error.retryAt - Date.now())
          : Math.min(30_000, 1000 * 2 ** count),
    },
  },
});
followItems(queryClient);
