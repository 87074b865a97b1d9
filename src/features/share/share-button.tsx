import { Share2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectionAction } from '../../ui/selection-frame.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';
import type { Shareable } from './shareable.ts';

/** Loaded with the first link that is made. */
const ShareDialog = lazyPart(async () => (await import('./share-dialog.tsx')).ShareDialog);

/** Opens the dialog that makes a public link. `text`: with its name, in headings; `bar`: in the bar of a selection. */
export function ShareButton({ of, look = 'icon' }: { of: Shareable; look?: 'icon' | 'text' | 'bar' }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      {look === 'icon' ? (
        <IconButton icon={Share2} label="Share" className={touchSize} onClick={() => setOpen(true)} />
      ) : look === 'bar' ? (
        <SelectionAction icon={Share2} label="Share" onClick={() => setOpen(true)} />
      ) : (
        <Button size="small" onClick={() => setOpen(true)}>
          <Share2 aria-hidden />
          Share
        </Button>
      )}
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
