import { Download } from 'lucide-react';
import { runExport, saveFile } from '../../api/exports.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';

/** As many items as one archive may hold. */
const maxItems = 20_000;

/** Downloads the originals of items as an archive. */
export const DownloadItemsButton = ({ ids }: { ids: readonly string[] }) => (
  <Button
    size="small"
    disabled={ids.length > maxItems}
    title={ids.length > maxItems ? 'An archive may hold 20,000 items.' : undefined}
    onClick={() => {
      runExport({ format: 'zip', media_ids: [...ids] }, new AbortController().signal, () => undefined)
        .then(saveFile)
        .catch((error: Error) => toast.error('The archive could not be made', { description: error.message }));
    }}
  >
    <Download aria-hidden />
    Download ZIP
  </Button>
);
