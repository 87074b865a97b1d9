import { Share2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { IconButton } from '../../ui/button.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';
import type { Shareable } from './share-dialog.tsx';

/** Loaded with the first link that is made. */
const ShareDialog = lazyPart(async () => (await import('./share-dialog.tsx')).ShareDialog);

/** Opens the dialog that makes a public link. */
export function ShareButton({ of }: { of: Shareable }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon={Share2} label="Share" className={touchSize} onClick={() => setOpen(true)} />
      {open ? (
        // The keys of a list or player around do not act while a form is filled in.
        <div role="presentation" onKeyDown={(event) => event.stopPropagation()}>
          <Suspense>
            <ShareDialog of={of} onClose={() => setOpen(false)} />
          </Suspense>
        </div>
      ) : null}
    </>
  );
}
