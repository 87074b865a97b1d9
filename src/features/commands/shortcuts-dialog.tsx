import { ClosableDialog } from '../../ui/closable-dialog.tsx';

const groups: { title: string; shortcuts: [keys: string[], what: string][] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      [['/'], 'Focus search'],
      [['Ctrl', 'K'], 'Command palette'],
      [['?'], 'Keyboard shortcuts'],
      [['Esc'], 'Close, or clear selection'],
    ],
  },
  {
    title: 'Library',
    shortcuts: [
      [['Arrows'], 'Go through the items'],
      [['Enter'], 'Open'],
      [['X'], 'Select'],
      [['Shift', 'X'], 'Select a range'],
      [['Ctrl', 'A'], 'Select all'],
    ],
  },
  {
    title: 'Results',
    shortcuts: [
      [['Left'], 'Previous result'],
      [['Right'], 'Next result'],
    ],
  },
  {
    title: 'Map of highlights',
    shortcuts: [
      [['Left', 'Right'], 'Go through scenes, most unique first'],
      [['Enter'], 'Play'],
      [['+', '−'], 'Zoom in, zoom out'],
      [['Shift', 'drag'], 'Select an area'],
    ],
  },
  {
    title: 'Player',
    shortcuts: [
      [['Space'], 'Play or pause'],
      [[','], 'A frame back'],
      [['.'], 'A frame on'],
      [['L'], 'Loop'],
      [['N'], 'Continue with the next hit at the end'],
    ],
  },
];

/** All keys that do something. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <ClosableDialog title="Keyboard shortcuts" onClose={onClose}>
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
    </ClosableDialog>
  );
}
