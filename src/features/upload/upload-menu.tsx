import { Camera, FileUp, FolderUp, Globe } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { menuLooks } from '../../ui/menu-item.ts';
import { useChoosers } from './drop-anywhere.tsx';

/** The ways to add media, below their button. It is open as long as it is there. */
export function UploadMenu({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { chooseFiles, chooseFolder, openCamera, addByAddress } = useChoosers();
  const hasCamera = window.matchMedia('(pointer: coarse)').matches;
  const ways = [
    { icon: FileUp, text: 'Upload files', run: chooseFiles },
    ...(hasCamera ? [{ icon: Camera, text: 'Take a photo or video', run: openCamera }] : []),
    { icon: FolderUp, text: 'Upload a folder', run: chooseFolder },
    { icon: Globe, text: 'Add by address', run: addByAddress },
  ];
  return (
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-40 min-w-56 rounded-card border border-line bg-surface p-1.5 shadow-float"
        >
          {ways.map(({ icon: Icon, text, run }) => (
            <DropdownMenu.Item key={text} onSelect={run} className={menuLooks.item}>
              <Icon className="size-4 text-quiet" aria-hidden />
              {text}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
