import { Share2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';
import type { Shareable } from './shareable.ts';

/** Loaded with the first link that is made. */
const ShareDialog = lazyPart(async () => (await import('./share-dialog.tsx')).ShareDialog);

/** Opens the dialog that makes a public link. `small`: with its text in quiet lists; `bar`: among the small buttons of a heading or a bar. */
export function ShareButton({ of, look = 'regular' }: { of: Shareable; look?: 'regular' | 'small' | 'bar' }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={look === 'small' ? 'quiet' : 'secondary'}
        size={look === 'regular' ? 'regular' : 'small'}
        onClick={() => setOpen(true)}
      >
        <Share2 aria-hidden />
        <span className={look === 'regular' ? 'max-sm:sr-only' : ''}>Share</span>
      </Button>
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
