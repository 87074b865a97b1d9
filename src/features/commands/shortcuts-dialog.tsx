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
      [['C'], 'Collections of the selection'],
      [['T'], 'Tags of the selection'],
      [['1', '…', '5'], 'Rate the item, or the selection'],
      [['0'], 'Remove the rating'],
    ],
  },
  {
    title: 'Results',
    shortcuts: [
      [['Left'], 'Previous result'],
      [['Right'], 'Next result'],
      [['A'], 'Autoplay next'],
      [['B'], 'Add to basket, or remove'],
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
      [['Space', 'K'], 'Play or pause; K also returns to normal speed'],
      [['J', 'L'], 'Backwards, forwards; again: faster'],
      [['Shift', 'Left'], 'Back 5 seconds'],
      [['Shift', 'Right'], 'Forward 5 seconds'],
      [[',', '.'], 'Previous frame, next frame'],
      [['M'], 'Mute'],
      [['C'], 'Captions'],
      [['F'], 'Full screen'],
      [['P'], 'Picture in picture'],
      [['R'], 'Loop'],
    ],
  },
  {
    title: 'Export of a clip',
    shortcuts: [
      [['I'], 'Start at the frame that is shown'],
      [['O'], 'End with the frame that is shown'],
      [['Alt', 'Up'], 'Move a moment of the basket up'],
      [['Alt', 'Down'], 'Move a moment of the basket down'],
    ],
  },
  {
    title: 'Viewer',
    shortcuts: [
      [['Left', 'Right'], 'Previous item, next item of the list; in a video without a list: 5 seconds'],
      [['I'], 'Details'],
      [['F'], 'Full screen'],
      [['S'], 'Slideshow; any key stops it'],
      [['0', '…', '5'], 'Rate'],
      [['N'], 'Next match in the video'],
      [['Shift', 'N'], 'Previous match in the video'],
    ],
  },
  {
    title: 'Photo',
    shortcuts: [
      [['+', '−'], 'Zoom in, zoom out'],
      [['0'], 'Fit, while it is enlarged'],
      [['Double click'], 'Real pixels, or all of it'],
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
