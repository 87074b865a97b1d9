import { Terminal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ApiRequest } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';

const RequestDialog = lazy(async () => ({ default: (await import('./request-dialog.tsx')).RequestDialog }));

/** Shows what a page asks the API as a command to repeat. Takes the query's options, which carry the request. */
export function ShowRequest({ of: { meta } }: { of: { meta?: { request?: ApiRequest } | undefined } }) {
  const [open, setOpen] = useState(false);
  if (!meta?.request) return null;
  return (
    <>
      <Button
        look="quiet"
        size="icon"
        aria-label="Show the request"
        title="This page as a request for scripts"
        onClick={() => setOpen(true)}
      >
        <Terminal aria-hidden />
      </Button>
      {open ? (
        <Suspense>
          <RequestDialog request={meta.request} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
