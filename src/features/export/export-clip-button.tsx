import { Scissors } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { IconButton } from '../../ui/button.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';
import type { ClipToExport } from './export-clip-dialog.tsx';

const ExportClipDialog = lazyPart(async () => (await import('./export-clip-dialog.tsx')).ExportClipDialog);

/**
 * Exports a clip of a video, or a photo in another format.
 * @param renderMore what else can be done with the span that is chosen
 */
export function ExportClipButton({
  clip,
  renderMore,
}: {
  clip: ClipToExport;
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
      <IconButton icon={Scissors} label="Export" className={touchSize} onClick={show} />
      {open ? (
        <Suspense>
          <ExportClipDialog clip={clip} renderMore={renderMore} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
