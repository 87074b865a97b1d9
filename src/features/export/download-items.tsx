import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { runExport, saveFile } from '../../api/exports.ts';
import { mediaIdsOptions } from '../../api/queries.ts';
import { countSelected, type SelectedItems } from '../../lib/selected-items.ts';
import { PanelAction } from '../../ui/panel-action.tsx';
import { toast } from '../../ui/toast.ts';

/** As many items as one archive may hold. */
const maxItems = 20_000;

/** Downloads the originals of items as an archive. */
export function DownloadItems({ items, onDone }: { items: SelectedItems; onDone: () => void }) {
  const client = useQueryClient();
  const readIds = async (): Promise<string[]> => {
    if ('ids' in items) return [...items.ids];
    const { data } = await client.fetchQuery(mediaIdsOptions(items.filter, { offset: 0, limit: maxItems }));
    return data.filter((id) => !items.except.has(id));
  };
  const download = async () => {
    onDone();
    try {
      const ids = await readIds();
      const done = await runExport({ format: 'zip', media_ids: ids }, new AbortController().signal, () => undefined);
      saveFile(done);
    } catch (error) {
      toast.error('The archive could not be made', { description: (error as Error).message });
    }
  };
  const isTooMany = countSelected(items) > maxItems;
  return (
    <PanelAction
      icon={Download}
      disabled={isTooMany}
      title={isTooMany ? 'An archive may hold 20,000 items.' : undefined}
      onClick={() => void download()}
    >
      Download ZIP
    </PanelAction>
  );
}
