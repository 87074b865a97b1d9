import { X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { useStoredText } from '../../lib/stored-state.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { IconButton } from '../../ui/button.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';

/** A part of what is known of an item. */
export type DrawerTab = { id: string; label: string; content: ReactNode };

/** Whether the drawer is open, which this browser remembers, and how to change it; the key `I` does. */
export function useDrawer(): { isOpen: boolean; toggle: () => void; open: (tab?: string) => void } {
  const [stored, store] = useStoredText('viewer-drawer');
  const [, storeTab] = useStoredText('viewer-tab');
  const isOpen = stored === 'open';
  const toggle = () => store(isOpen ? null : 'open');
  useKeys({ i: toggle });
  return {
    isOpen,
    toggle,
    open(tab) {
      store('open');
      if (tab !== undefined) storeTab(tab);
    },
  };
}

/** What is known of an item, in tabs: beside the picture, or on a small screen as a sheet below it. This browser remembers the tab. */
export function InfoDrawer({ tabs, onClose }: { tabs: readonly DrawerTab[]; onClose: () => void }) {
  const [stored, store] = useStoredText('viewer-tab');
  const tab = tabs.find(({ id }) => id === stored) ?? tabs[0];
  return (
    <aside
      aria-label="About this item"
      className="relative z-20 flex h-[52dvh] min-h-0 shrink-0 flex-col border-t border-line bg-surface max-lg:rounded-t-2xl lg:h-full lg:w-96 lg:border-t-0 lg:border-l"
    >
      <Tabs.Root value={tab?.id ?? ''} onValueChange={store} className="flex min-h-0 flex-1 flex-col">
        <div className="flex h-14 shrink-0 items-center gap-1 border-b border-line pr-1.5 pl-2 sm:pr-2">
          <Tabs.List
            aria-label="About this item"
            className="flex min-w-0 flex-1 [scrollbar-width:none] overflow-x-auto"
          >
            {tabs.map(({ id, label }) => (
              <Tabs.Trigger
                key={id}
                value={id}
                className="h-14 shrink-0 border-b-2 border-transparent px-2.5 text-label font-medium text-quiet -outline-offset-4 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
              >
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <IconButton icon={X} label="Close the details" className={touchSize} onClick={onClose} />
        </div>
        {tabs.map(({ id, content }) => (
          <Tabs.Content key={id} value={id} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4">
            {content}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </aside>
  );
}
