import { Scissors } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';
import type { ClipToExport } from './export-clip-dialog.tsx';

const ExportClipDialog = lazyPart(async () => (await import('./export-clip-dialog.tsx')).ExportClipDialog);

/**
 * Exports a clip of a video, or a photo in another format.
 * @param renderMore what else can be done with the span that is chosen
 */
export function ExportClipButton({
  clip,
  small = false,
  renderMore,
}: {
  clip: ClipToExport;
  small?: boolean;
  renderMore?: (span: { start: number; end: number }) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const show = () => {
    // Two players at once are one too many.
    for (const video of document.querySelectorAll('video')) video.pause();
    setOpen(true);
  };
  return (
    <>
      <Button variant={small ? 'quiet' : 'secondary'} size={small ? 'small' : 'regular'} onClick={show}>
        <Scissors aria-hidden />
        <span className={small ? undefined : 'max-sm:sr-only'}>Export</span>
      </Button>
      {open ? (
        <Suspense>
          <ExportClipDialog clip={clip} renderMore={renderMore} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
