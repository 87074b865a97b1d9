import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Button } from '../../ui/button.tsx';

const groups: { title: string; shortcuts: [keys: string[], what: string][] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      [['/'], 'Go to the search field'],
      [['Ctrl', 'K'], 'Commands'],
      [['?'], 'This list'],
      [['Esc'], 'Close, or clear the selection'],
    ],
  },
  {
    title: 'Library',
    shortcuts: [[['Shift', 'click'], 'Select all from the one selected last']],
  },
  {
    title: 'Hits',
    shortcuts: [
      [['Left'], 'The hit before'],
      [['Right'], 'The next hit'],
    ],
  },
  {
    title: 'Map of highlights',
    shortcuts: [
      [['Left', 'Right'], 'Through the clips, the most unusual first'],
      [['Enter'], 'Play'],
      [['+', '−'], 'Magnify, shrink'],
      [['Shift', 'drag'], 'Select a part'],
    ],
  },
  {
    title: 'Player',
    shortcuts: [
      [['Space'], 'Play or pause'],
      [[','], 'A frame back'],
      [['.'], 'A frame on'],
      [['L'], 'Loop'],
      [['N'], 'Go on to the next hit at the end'],
    ],
  },
];

/** All keys that do something. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/50" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 max-h-[90dvh] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float"
        >
          <header className="flex items-center justify-between">
            <Dialog.Title className="text-base font-semibold">Keyboard</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="quiet" size="icon" aria-label="Close">
                <X aria-hidden />
              </Button>
            </Dialog.Close>
          </header>
          {groups.map(({ title, shortcuts }) => (
            <section key={title} className="mt-4">
              <h2 className="text-xs font-medium text-quiet">{title}</h2>
              <dl className="mt-1.5 divide-y divide-line">
                {shortcuts.map(([keys, what]) => (
                  <div key={what} className="flex items-center justify-between py-1.5">
                    <dt>{what}</dt>
                    <dd className="flex gap-1">
                      {keys.map((key) => (
                        <kbd key={key} className="rounded border border-line bg-raised px-1.5 py-0.5 text-xs">
                          {key}
                        </kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
