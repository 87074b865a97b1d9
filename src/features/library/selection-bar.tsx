import { Building2, Ellipsis, RotateCw, Trash2, User } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useLabelChoices } from '../../api/label-requests.ts';
import { useHasTrash } from '../../api/trash.ts';
import { countItems } from '../../lib/format.ts';
import { countSelected, type SelectedItems } from '../../lib/selected-items.ts';
import { AnchoredPanel } from '../../ui/anchored-panel.tsx';
import { LabelCombobox } from '../../ui/label-combobox.tsx';
import { PanelAction } from '../../ui/panel-action.tsx';
import { SelectionAction, SelectionFrame } from '../../ui/selection-frame.tsx';
import { useBulkChange } from '../../use-bulk-change.ts';
import { DeleteItems } from './delete-items.tsx';
import { RateByStars, RateSelection } from './rating-editor.tsx';

type LabelKind = 'creator' | 'category';

/** What can be done with the selected items, at the foot of the library: in one row, what is done seldom behind its last button. */
export function SelectionBar({
  items,
  failed,
  total,
  onSelectAll,
  onClear,
  more,
  children,
}: {
  items: SelectedItems;
  /** Whether failed items are shown, which can be tried again. */
  failed: boolean;
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
  /** What else is done seldom, in the panel of the last button. @param close closes it */
  more: (close: () => void) => ReactNode;
  /** What else can be done with them. */
  children: ReactNode;
}) {
  return (
    <SelectionFrame count={countSelected(items)} total={total} onSelectAll={onSelectAll} onClear={onClear}>
      <span className="max-lg:hidden">
        <RateSelection items={items} />
      </span>
      {children}
      <DeleteSelection items={items} onDeleted={onClear} />
      <MoreActions items={items} failed={failed} more={more} />
    </SelectionFrame>
  );
}

/** Moves them to the trash, which can be undone. A service without one, which is not ours, deletes for good after a question. */
function DeleteSelection({ items, onDeleted }: { items: SelectedItems; onDeleted: () => void }) {
  const { mutate, isPending } = useBulkChange();
  const what = countItems(countSelected(items));
  if (!useHasTrash()) {
    return 'ids' in items ? <DeleteItems ids={[...items.ids]} what={what} size="small" onDeleted={onDeleted} /> : null;
  }
  const remove = () => {
    mutate({
      items,
      change: { delete: true },
      doing: `Moving ${what} to the trash`,
      say: (count) => `${countItems(count)} moved to trash.`,
    });
    onDeleted();
  };
  return <SelectionAction icon={Trash2} label="Delete" disabled={isPending} onClick={remove} />;
}

type Panel = 'more' | LabelKind;

/** The last button, and the panel that it opens: on a phone a sheet. */
function MoreActions({
  items,
  failed,
  more,
}: {
  items: SelectedItems;
  failed: boolean;
  more: (close: () => void) => ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [panel, setPanel] = useState<Panel | null>(null);
  const { mutate } = useBulkChange();
  const close = () => setPanel(null);
  const retry = () => {
    close();
    const say = (count: number) => `${countItems(count)} queued again.`;
    mutate({ items, change: { retry: true }, doing: `Trying ${countItems(countSelected(items))} again`, say });
  };
  return (
    <>
      <SelectionAction
        ref={button}
        icon={Ellipsis}
        label="More"
        aria-haspopup="dialog"
        aria-expanded={panel !== null}
        onClick={() => setPanel(panel === null ? 'more' : null)}
      />
      {panel === null ? null : (
        <AnchoredPanel key={panel} anchor={button} label={titles[panel]} align="end" className="w-72" onClose={close}>
          {panel === 'more' ? (
            <div className="p-1.5">
              <div className="mb-1 flex items-center justify-between border-b border-line px-2 pb-1 lg:hidden">
                <span aria-hidden>Rating</span>
                <RateByStars items={items} />
              </div>
              <PanelAction icon={User} onClick={() => setPanel('creator')}>
                Set the creator…
              </PanelAction>
              <PanelAction icon={Building2} onClick={() => setPanel('category')}>
                Set the category…
              </PanelAction>
              {more(close)}
              {failed ? (
                <PanelAction icon={RotateCw} onClick={retry}>
                  Try again
                </PanelAction>
              ) : null}
            </div>
          ) : (
            <AssignLabel kind={panel} items={items} onDone={close} />
          )}
        </AnchoredPanel>
      )}
    </>
  );
}

const titles = {
  more: 'More for the selection',
  creator: 'Creator of the selection',
  category: 'Category of the selection',
};

/** Assigns a creator or a category, or takes it away. */
function AssignLabel({ kind, items, onDone }: { kind: LabelKind; items: SelectedItems; onDone: () => void }) {
  const { mutate } = useBulkChange();
  const choices = useLabelChoices(kind);
  const assign = (id: string | null, name: string | null) => {
    onDone();
    mutate({
      items,
      change: kind === 'creator' ? { creator_id: id } : { category_id: id },
      doing: `Changing ${countItems(countSelected(items))}`,
      say: (count) => `${countItems(count)}: ${name === null ? `no ${kind}` : `${kind} “${name}”`}.`,
    });
  };
  return (
    <LabelCombobox
      {...choices}
      // Nothing is marked: the items may have different ones.
      chosen={['']}
      none={`No ${kind}`}
      onChoose={({ id, name }) => assign(id, name)}
      onNone={() => assign(null, null)}
    />
  );
}
