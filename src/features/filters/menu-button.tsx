import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, Suspense, useRef, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';
import type { MenuEntry } from '../../ui/popup-menu.tsx';

const PopupMenu = lazyPart(async () => (await import('../../ui/popup-menu.tsx')).PopupMenu);

/**
 * A button with a menu, which is loaded when it opens.
 * @param label what it is called where its text is not shown
 * @param text shown beside the icon where there is room
 */
export function MenuButton({
  label,
  icon: Icon,
  text,
  entries,
  variant = 'quiet',
}: {
  label: string;
  icon: LucideIcon;
  text?: string;
  entries: readonly MenuEntry[];
  variant?: ComponentProps<typeof Button>['variant'];
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <span className="relative inline-flex">
      <Button
        ref={button}
        size="small"
        variant={variant}
        // With an icon alone it is a square.
        className={text === undefined ? 'w-8 px-0 pointer-coarse:w-11' : 'max-sm:w-11 max-sm:px-0'}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Icon aria-hidden />
        {text === undefined ? null : <span className="max-sm:hidden">{text}</span>}
      </Button>
      {open ? (
        <Suspense>
          <PopupMenu anchor={button} label={label} entries={entries} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </span>
  );
}
