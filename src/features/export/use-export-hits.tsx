import { FileDown } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';

const ExportHitsDialog = lazyPart(async () => (await import('./export-hits-dialog.tsx')).ExportHitsDialog);

/** The entry of a menu that makes a list of the hits that are shown, and the dialog that it opens. */
export function useExportHits(hits: SearchHit[], title: string): { entries: MenuEntry[]; dialog: ReactNode } {
  const [open, setOpen] = useState(false);
  if (hits.length === 0) return { entries: [], dialog: null };
  return {
    entries: [{ kind: 'action', text: 'Export results', icon: FileDown, onSelect: () => setOpen(true) }],
    dialog: open ? (
      <Suspense>
        <ExportHitsDialog hits={hits} title={title} onClose={() => setOpen(false)} />
      </Suspense>
    ) : null,
  };
}
