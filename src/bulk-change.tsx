import { followChange } from './api/follow-change.ts';
import { cancelMediaChange, changeMedia, type MediaChange, undoMediaChange } from './api/generated/api/index.ts';
import { describeError } from './lib/describe-error.ts';
import { countItems, formatCount } from './lib/format.ts';
import { toItemsBody } from './lib/selected-items.ts';
import { ProgressBar } from './ui/progress-bar.tsx';
import { toast, undoMs } from './ui/toast.ts';
import type { BulkChange } from './use-bulk-change.ts';

/** How far a change is. */
function Progress({ change }: { change: MediaChange }) {
  const through = change.done + change.skipped + change.failed;
  return (
    <div className="mt-1 w-56 max-w-full">
      <p className="mb-1.5 tabular-nums">
        {formatCount(through)} of {formatCount(change.total)}
      </p>
      <ProgressBar fraction={change.total > 0 ? through / change.total : 0} label="Progress" />
    </div>
  );
}

/** What happened to the items that were not changed. */
function describeRest({ skipped, failed, state, total, done }: MediaChange): string | undefined {
  if (state === 'failed') return `The service gave up after ${formatCount(done)} of ${countItems(total)}.`;
  if (failed > 0) return `${countItems(failed)} could not be changed.`;
  return skipped > 0 && done > 0 ? `${countItems(skipped)} were so already, or are gone.` : undefined;
}

/**
 * Makes a change and says how it goes.
 * @param onUndone called when it was undone
 */
export async function runBulkChange(
  { items, change, doing, say }: BulkChange,
  onUndone: () => void,
): Promise<MediaChange> {
  const id = `change ${crypto.randomUUID()}`;
  const begun = (await changeMedia({ body: { items: toItemsBody(items), change } })).data;
  let ended: MediaChange;
  try {
    ended = await followChange(begun, (now) =>
      toast.loading(`${doing}…`, {
        id,
        duration: Infinity,
        description: <Progress change={now} />,
        action: {
          label: 'Cancel',
          onClick: (event) => {
            event.preventDefault();
            void cancelMediaChange({ path: { id: begun.id } }).catch((error: Error) =>
              toast.error(describeError(error)),
            );
          },
        },
      }),
    );
  } catch (error) {
    toast.dismiss(id);
    throw error;
  }
  report(id, ended, say, onUndone);
  return ended;
}

function report(id: string, change: MediaChange, say: (count: number) => string, onUndone: () => void): void {
  const { state, done } = change;
  const show = state === 'done' ? toast.success : toast.warning;
  const text = state === 'cancelled' ? `Cancelled. ${say(done)}` : say(done);
  show(text, {
    id,
    duration: undoMs,
    description: describeRest(change),
    action: change.can_undo
      ? {
          label: 'Undo',
          onClick: (event) => {
            // The same notice says that it was done.
            event.preventDefault();
            void undo(id, change).then(onUndone);
          },
        }
      : null,
  });
}

async function undo(id: string, change: MediaChange): Promise<void> {
  try {
    toast.loading('Undoing…', { id, duration: Infinity, description: null, action: null });
    const begun = (await undoMediaChange({ path: { id: change.id } })).data;
    const ended = await followChange(begun, (now) =>
      toast.loading('Undoing…', { id, duration: Infinity, description: <Progress change={now} />, action: null }),
    );
    const kept = ended.skipped > 0 ? `${countItems(ended.skipped)} had been changed again, and stay.` : null;
    toast.success('Undone.', { id, action: null, duration: kept === null ? 3000 : 6000, description: kept });
  } catch (error) {
    toast.error(describeError(error as Error), { id, action: null, description: null, duration: undoMs });
  }
}
