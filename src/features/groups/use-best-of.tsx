import { Star } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { lazyPart } from '../../api/parts.ts';
import type { MediaFilter } from '../../api/queries.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { useBulkChange } from '../../use-bulk-change.ts';

const GroupDialog = lazyPart(async () => (await import('./group-dialog.tsx')).GroupDialog);

/** Stars from which an item is one of the best. */
const least = 4;

/**
 * The entry of a menu that makes a collection of what has four stars or more of a list, and the dialog that it opens.
 * @param of what the list is called
 */
export function useBestOf(filter: MediaFilter, of: string): { entry: MenuEntry; dialog: ReactNode } {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const { mutate } = useBulkChange();
  const collect = ({ id, name }: { id: string; name: string }) =>
    mutate(
      {
        items: {
          filter: { ...filter, rating_min: Math.max(least, filter.rating_min ?? 0) },
          except: new Set(),
          total: 0,
        },
        change: { add_collection_ids: [id] },
        doing: `Collecting “${name}”`,
        say: (count) =>
          count === 0
            ? `Nothing has ${least} stars or more yet, so “${name}” is empty.`
            : `${countItems(count)} collected in “${name}”.`,
      },
      { onSuccess: () => void navigate(paths.collection(id)) },
    );
  return {
    entry: { kind: 'action', text: 'Collect the best…', icon: Star, onSelect: () => setOpen(true) },
    dialog: open ? (
      <Suspense>
        <GroupDialog
          kind="collections"
          proposed={`Best of ${of}`}
          about={`Everything with ${least} stars or more in this list goes into a new collection.`}
          onClose={() => setOpen(false)}
          onSaved={collect}
        />
      </Suspense>
    ) : null,
  };
}
