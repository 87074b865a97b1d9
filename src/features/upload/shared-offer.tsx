import { useEffect, useEffectEvent, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { clearShared, readShared } from '../../lib/shared-files.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Names that are shown of many files. */
const maxNames = 3;

/**
 * Offers to upload what was shared with the installed dashboard. It asks, because any page of the web can share too: nothing tells the service worker
 * whether the system of the phone did.
 */
export function SharedOffer({
  onFiles,
  onAddress,
  onEnd,
}: {
  onFiles: (files: readonly File[]) => void;
  onAddress: (address: string) => void;
  /** Called once nothing is offered any more. */
  onEnd: () => void;
}) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const end = async () => {
    await clearShared();
    onEnd();
  };
  const offer = useEffectEvent(async (shared: Awaited<ReturnType<typeof readShared>>) => {
    if (shared.files.length > 0) return setFiles(shared.files);
    await end();
    // Its form asks by itself.
    if (shared.address !== null) onAddress(shared.address);
  });
  useEffect(() => void readShared().then((shared) => offer(shared)), []);
  if (files.length === 0) return null;
  const names = files.slice(0, maxNames).map(({ name }) => name);
  const more = files.length > maxNames ? ` and ${formatCount(files.length - maxNames)} more` : '';
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && void end()}
      title={files.length === 1 ? 'Upload this file?' : `Upload ${formatCount(files.length)} files?`}
      description={
        <span className="break-words">
          Another app shared {names.join(', ')}
          {more}. Cancel if that was not you.
        </span>
      }
      submit="Upload"
      focusSubmit
      busy={false}
      error={null}
      onSubmit={() => {
        onFiles(files);
        void end();
      }}
    >
      {null}
    </FormDialog>
  );
}
