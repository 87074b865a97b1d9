import { FileDown } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { IconButton } from '../../ui/button.tsx';

const ExportHitsDialog = lazyPart(async () => (await import('./export-hits-dialog.tsx')).ExportHitsDialog);

/** Makes a list of the hits that are shown. */
export function ExportHitsButton({ hits, title }: { hits: SearchHit[]; title: string }) {
  const [open, setOpen] = useState(false);
  if (hits.length === 0) return null;
  return (
    <>
      <IconButton icon={FileDown} label="Export results" onClick={() => setOpen(true)} />
      {open ? (
        <Suspense>
          <ExportHitsDialog hits={hits} title={title} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
