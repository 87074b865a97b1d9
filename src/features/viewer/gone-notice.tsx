import { Trash2, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRestoreFromTrash } from '../../api/trash.ts';
import { Button } from '../../ui/button.tsx';
import { reportRestored } from '../../ui/report-restored.ts';

/** Says over its dimmed picture that an item was deleted, here or elsewhere, and how to get it back. */
export function GoneNotice({
  id,
  name,
  hasTrash,
  onRestored,
  next,
  children,
}: {
  id: string;
  name: string;
  hasTrash: boolean;
  /** Called when it is back. */
  onRestored: () => void;
  /** Goes on to the next item of the list; null at its end. */
  next: (() => void) | null;
  /** The picture. */
  children: ReactNode;
}) {
  const restore = useRestoreFromTrash((restored, asked) => {
    reportRestored(restored, asked, name);
    if (restored > 0) onRestored();
  });
  return (
    <div className="absolute inset-0">
      <div className="absolute inset-0 opacity-25" inert>
        {children}
      </div>
      <div
        role="alert"
        className="absolute inset-0 grid place-content-center justify-items-center gap-2 p-6 text-center"
      >
        <span className="mb-2 grid size-12 place-items-center rounded-full bg-raised text-quiet">
          <Trash2 className="size-6" aria-hidden />
        </span>
        <h2 className="text-base font-semibold">This item was deleted</h2>
        <p className="text-quiet">
          {hasTrash ? 'It can be restored as long as it is in the trash.' : 'It is no longer on the server.'}
        </p>
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          {hasTrash ? (
            <Button variant="primary" disabled={restore.isPending} onClick={() => restore.mutate([id])}>
              <Undo2 aria-hidden />
              Restore
            </Button>
          ) : null}
          {next ? <Button onClick={next}>Next item</Button> : null}
        </div>
      </div>
    </div>
  );
}
