import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Group, type GroupKind, groupRequests } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countItems } from '../../lib/format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { groupNames } from './group-names.ts';

/** Asks before a collection or tag is deleted. `onDeleted` is awaited before anything is read again. */
export function DeleteGroup({
  kind,
  group,
  trigger,
  onDeleted,
}: {
  kind: GroupKind;
  group: Group;
  trigger: ReactNode;
  onDeleted?: () => Promise<void> | void;
}) {
  const client = useQueryClient();
  const removal = useMutation({
    mutationFn: () => groupRequests[kind].remove(group.id),
    onSuccess: async () => {
      await onDeleted?.();
      toast.success(`${group.name} was deleted.`);
      await reloadMedia(client);
    },
  });
  const { one } = groupNames[kind];
  return (
    <ConfirmDialog
      trigger={trigger}
      title={`Delete ${group.name}?`}
      confirm="Delete"
      onConfirm={() => removal.mutate()}
    >
      {group.media_count === 0
        ? `This ${one} has no items.`
        : `Its ${countItems(group.media_count)} ${group.media_count === 1 ? 'stays' : 'stay'} in the library, without this ${one}.`}
    </ConfirmDialog>
  );
}
