import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { type Group, type GroupKind, groupRequests } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { countItems, formatCount } from '../../lib/format.ts';
import { toast, undoMs } from '../../ui/toast.ts';

/** Most items of a request. */
const perRequest = 1000;

export type MembersChange = {
  kind: GroupKind;
  group: Pick<Group, 'id' | 'name'>;
  ids: readonly string[];
  how: 'add' | 'remove';
};

type Outcome = { changed: string[]; canceled: boolean };

/** Adds items to a collection or tag, or removes them. It says what was done, and offers to undo it. */
export function useChangeMembers() {
  const client = useQueryClient();
  const undo = useMutation({
    mutationFn: ({ change, toastId }: { change: MembersChange; toastId: string | number }) =>
      sendInParts(change, toastId, () => undefined),
    onSuccess: (_, { toastId }) => toast.success('Undone.', { id: toastId, action: null, duration: 3000 }),
    onError: (_, { toastId }) => toast.dismiss(toastId),
    onSettled: () => reloadMedia(client),
  });
  return useMutation({
    mutationFn: async (change: MembersChange): Promise<Outcome> => {
      const toastId = `${change.kind} ${change.group.id} ${Date.now()}`;
      const changed: string[] = [];
      const offerUndo = () => ({
        id: toastId,
        duration: undoMs,
        action:
          changed.length === 0
            ? null
            : {
                label: 'Undo',
                onClick: (event: MouseEvent) => {
                  // The same notice says that it was done.
                  event.preventDefault();
                  toast.loading('Undoing…', { id: toastId, action: null });
                  undo.mutate({
                    change: { ...change, ids: changed, how: change.how === 'add' ? 'remove' : 'add' },
                    toastId,
                  });
                },
              },
      });
      try {
        const canceled = await sendInParts(change, toastId, (ids) => changed.push(...ids));
        const say = canceled ? toast.warning : toast.success;
        say(canceled ? `Canceled. ${describe(change, changed.length)}` : describe(change, changed.length), offerUndo());
        return { changed, canceled };
      } catch (error) {
        // A part was done: it can be undone. What went wrong is said by the mutation.
        if (changed.length > 0) toast.warning(describe(change, changed.length), offerUndo());
        else toast.dismiss(toastId);
        throw error;
      }
    },
    onSettled: () => reloadMedia(client),
  });
}

/**
 * Sends a change in requests of bounded size, one after the other, with its progress and a way to cancel it where there are several.
 * @param onChanged gets the items that each changed
 * @returns whether it was canceled
 */
async function sendInParts(
  { kind, group, ids, how }: MembersChange,
  toastId: string | number,
  onChanged: (ids: string[]) => void,
): Promise<boolean> {
  let canceled = false;
  for (let first = 0; first < ids.length; first += perRequest) {
    if (canceled) return true;
    if (ids.length > perRequest) {
      toast.loading(`${group.name}: ${formatCount(first)} of ${countItems(ids.length)}…`, {
        id: toastId,
        duration: Infinity,
        action: {
          label: 'Cancel',
          onClick: (event) => {
            event.preventDefault();
            canceled = true;
          },
        },
      });
    }
    const part = ids.slice(first, first + perRequest);
    const { added, removed } = await groupRequests[kind].changeItems(group.id, { [how]: part });
    onChanged([...added, ...removed]);
  }
  return false;
}

function describe({ kind, group, ids, how }: MembersChange, count: number): string {
  const what = countItems(count);
  if (count === 0) {
    const all = ids.length === 1 ? 'It' : 'Nothing to change: each';
    if (how === 'remove') return `${all} was not in “${group.name}”.`;
    return kind === 'tags' ? `${all} has the tag “${group.name}” already.` : `${all} is in “${group.name}” already.`;
  }
  if (kind === 'tags') {
    return how === 'add' ? `${what} tagged “${group.name}”.` : `Tag “${group.name}” removed from ${what}.`;
  }
  return how === 'add' ? `${what} added to “${group.name}”.` : `${what} removed from “${group.name}”.`;
}
