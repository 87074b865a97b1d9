import { FolderOpen, Play, X } from 'lucide-react';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { useChoosers } from './drop-anywhere.tsx';
import { continueByHandles, discardInterrupted } from './interrupted.ts';
import type { KeptUpload } from './kept-uploads.ts';

/** Names that are shown of many files. */
const maxNames = 3;

/** Offers to go on with uploads of an earlier visit: by itself where the browser can open the files again, else with files chosen again. */
export function InterruptedOffer({
  interrupted,
  titled,
}: {
  interrupted: readonly KeptUpload[];
  /** Whether what stands above says what it is. */
  titled: boolean;
}) {
  const { chooseFiles } = useChoosers();
  const count = interrupted.length;
  const kept = interrupted.reduce((sum, upload) => sum + upload.kept, 0);
  const canOpen = interrupted.some(({ handle }) => handle !== null);
  return (
    <div role="group" aria-label="Interrupted uploads" className="space-y-2 border-t border-line px-4 py-3">
      {titled ? null : <p className="font-medium">{describeInterrupted(count)}</p>}
      <ul className="space-y-0.5 text-label text-quiet">
        {interrupted.slice(0, maxNames).map(({ id, name }) => (
          <li key={id} className="truncate" title={name}>
            {name}
          </li>
        ))}
        {count > maxNames ? <li>and {formatCount(count - maxNames)} more</li> : null}
      </ul>
      <p className="text-xs text-quiet">
        {canOpen ? '' : count === 1 ? 'Choose the file again to go on. ' : 'Choose the files again to go on. '}
        {kept > 0 ? `${formatBytes(kept)} are there already and are not sent again.` : null}
      </p>
      <div className="flex flex-wrap gap-1.5">
        {canOpen ? (
          <Button variant="primary" size="small" onClick={() => void resume()}>
            <Play aria-hidden />
            Resume uploads
          </Button>
        ) : (
          <Button variant="primary" size="small" onClick={chooseFiles}>
            <FolderOpen aria-hidden />
            {count === 1 ? 'Choose the file' : 'Choose the files'}
          </Button>
        )}
        <ConfirmDialog
          trigger={
            <Button variant="quiet" size="small">
              <X aria-hidden />
              Discard
            </Button>
          }
          title={`Discard ${formatCount(count)} interrupted ${count === 1 ? 'upload' : 'uploads'}?`}
          confirm="Discard"
          onConfirm={() => void discardInterrupted()}
        >
          What was sent of {count === 1 ? 'it' : 'them'} is deleted. Your own{' '}
          {count === 1 ? 'file stays' : 'files stay'} where {count === 1 ? 'it is' : 'they are'}.
        </ConfirmDialog>
      </div>
    </div>
  );
}

export const describeInterrupted = (count: number): string =>
  count === 1 ? '1 upload was interrupted' : `${formatCount(count)} uploads were interrupted`;

async function resume(): Promise<void> {
  const lost = await continueByHandles();
  if (lost === 0) return;
  const files = lost === 1 ? '1 file could not be opened' : `${formatCount(lost)} files could not be opened`;
  toast.error(files, {
    description: 'They were moved or changed, or reading them was not allowed. Choose them again.',
  });
}
