import './index.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { lazyPart } from './api/parts.ts';
import { queryClient } from './query-client.ts';
import { router } from './routes.tsx';

const Toasts = lazyPart(async () => (await import('./ui/toasts.tsx')).Toasts);

// The app opens without a network, and takes what others share with it. Pages without HTTPS, but for those of `localhost`, have none.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined);
  });
}

const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        {/* Not as a transition, which renders later than the address changes: the next key would meet the page of before. */}
        <RouterProvider router={router} useTransitions={false} />
        <Suspense>
          <Toasts />
        </Suspense>
      </QueryClientProvider>
    </StrictMode>,
  );
}
