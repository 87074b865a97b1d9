import './index.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { ApiError } from './api/client.ts';
import { followItems } from './api/follow-items.ts';
import { lazyPart } from './api/parts.ts';
import { sessionOptions } from './api/session.ts';
import { router } from './routes.tsx';

/** Loaded beside the page: nothing is said before something was done. */
const Toaster = lazyPart(async () => (await import('sonner')).Toaster);

/** A key that no longer works means that the session has ended or the key was rotated: asking again tells which. */
function onUnauthorized(error: Error): void {
  if (error instanceof ApiError && error.status === 401)
    void client.invalidateQueries({ queryKey: sessionOptions.queryKey });
}

async function sayError({ message }: Error): Promise<void> {
  const { toast } = await import('sonner');
  toast.error(message);
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError: onUnauthorized }),
  mutationCache: new MutationCache({
    onError(error, _variables, _result, { meta }) {
      onUnauthorized(error);
      if (!meta?.errorShown) void sayError(error);
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
        1000 * ((error instanceof ApiError ? error.retryAfter : null) ?? Math.min(30, 2 ** count)),
    },
  },
});
followItems(client);

const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Suspense>
          <Toaster position="top-center" theme="system" />
        </Suspense>
      </QueryClientProvider>
    </StrictMode>,
  );
}
