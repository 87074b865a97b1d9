import { Terminal } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { type DescribedQuery, requestOf } from '../../api/request.ts';
import { useDeveloperMode } from '../../lib/developer-mode.ts';
import { IconButton } from '../../ui/button.tsx';

const RequestDialog = lazyPart(async () => (await import('./request-dialog.tsx')).RequestDialog);

/** In developer mode, shows what a page asks the API as a command to repeat. Takes the query's options, which describe the request. */
export function ShowRequest({ of: query }: { of: DescribedQuery | undefined }) {
  const [open, setOpen] = useState(false);
  const [developer] = useDeveloperMode();
  const request = query && requestOf(query);
  if (!request || !developer) return null;
  return (
    <>
      <IconButton icon={Terminal} label="View API request" onClick={() => setOpen(true)} />
      {open ? (
        <Suspense>
          <RequestDialog request={request} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
