import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';

const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette);
const ShortcutsDialog = lazyPart(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog);

/** Opens the command palette by Ctrl-K (or ⌘K) and the list of keys by `?`, from anywhere. */
export function Commands(choosers: { chooseFiles: () => void; chooseFolder: () => void; addByAddress: () => void }) {
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) setShown('palette');
      else if (event.key === '?' && !typing) setShown('shortcuts');
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const close = () => setShown(null);
  return (
    <Suspense>
      {shown === 'palette' ? <CommandPalette onClose={close} {...choosers} /> : null}
      {shown === 'shortcuts' ? <ShortcutsDialog onClose={close} /> : null}
    </Suspense>
  );
}
