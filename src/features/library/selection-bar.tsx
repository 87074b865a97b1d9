import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLabelOptions } from '../../api/labels.ts';
import { countItems } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { SelectionFrame } from '../../ui/selection-frame.tsx';
import { toast } from '../../ui/toast.ts';
import { DeleteItems } from './delete-items.tsx';
import { useRetryMedia, useUpdateItems } from './media-actions.ts';
import { RateSelection } from './rating-editor.tsx';

const unchanged = '';
const none = 'none';

type LabelField = 'creator_id' | 'category_id';

/** What can be done with the selected items, at the foot of the library. */
export function SelectionBar({
  ids,
  failed,
  total,
  onSelectAll,
  onClear,
  children,
}: {
  ids: readonly string[];
  /** Whether failed items are shown, which can be tried again. */
  failed: boolean;
  total: number;
  onSelectAll: () => void;
  onClear: () => void;
  /** What else can be done with them. */
  children: ReactNode;
}) {
  const { assign, retry, busy } = useSelectionActions(ids, onClear);
  return (
    <SelectionFrame count={ids.length} total={total} onSelectAll={onSelectAll} onClear={onClear}>
      <RateSelection ids={ids} disabled={busy} />
      <AssignLabels disabled={busy} onAssign={assign} />
      {children}
      {failed ? (
        <Button size="small" disabled={busy} onClick={retry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      ) : null}
      <DeleteItems ids={ids} what={countItems(ids.length)} size="small" disabled={busy} onDeleted={onClear} />
    </SelectionFrame>
  );
}

/** Changes of all selected items. Each reports in a toast; those after which the selection is of no use clear it. */
function useSelectionActions(ids: readonly string[], onClear: () => void) {
  const update = useUpdateItems();
  const retryMedia = useRetryMedia();
  const onRetried = () => {
    toast.success(`${countItems(ids.length)} queued again.`);
    onClear();
  };
  return {
    assign: (field: LabelField, id: string | null) =>
      update.mutate({ ids, changes: { [field]: id }, say: (count) => `${countItems(count)} updated.` }),
    retry: () => retryMedia.mutate(ids, { onSuccess: onRetried }),
    busy: update.isPending || retryMedia.isPending,
  };
}

/** Assigns a creator or a category, or takes it away (null). */
function AssignLabels({
  disabled,
  onAssign,
}: {
  disabled: boolean;
  onAssign: (field: LabelField, id: string | null) => void;
}) {
  const { creators, categories } = useLabelOptions();
  const assign = (field: LabelField, value: string) => onAssign(field, value === none ? null : value);
  return (
    <>
      <Select
        hideLabel
        label="Assign a creator"
        value={unchanged}
        disabled={disabled}
        options={[{ value: unchanged, text: 'Creator…' }, { value: none, text: 'No creator' }, ...creators]}
        onChange={(value) => assign('creator_id', value)}
      />
      <Select
        hideLabel
        label="Assign a category"
        value={unchanged}
        disabled={disabled}
        options={[{ value: unchanged, text: 'Category…' }, { value: none, text: 'No category' }, ...categories]}
        onChange={(value) => assign('category_id', value)}
      />
    </>
  );
}
