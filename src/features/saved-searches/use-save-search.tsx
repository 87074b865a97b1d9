import { useQuery } from '@tanstack/react-query';
import { Bookmark, BookmarkCheck } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { lazyPart } from '../../api/parts.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { paths } from '../../paths.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toast.ts';
import { useLookedAt } from './new-matches.tsx';
import { isSameView, readView } from './saved-view.ts';
import { readNotify, useChangeNotify } from './use-notify.ts';

const SavedSearchDialog = lazyPart(async () => (await import('./saved-search-dialog.tsx')).SavedSearchDialog);

/** Most characters of a name. */
const maxName = 120;

/**
 * The entries of a menu that save what the page shows under a name, or say that it is saved; and the dialog that they open.
 * @param proposed the name that is proposed
 */
export function useSaveSearch(proposed: string): { entries: MenuEntry[]; dialog: ReactNode } {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [search] = useSearchParams();
  const saved = useQuery(savedSearchesOptions);
  const change = useChangeNotify();
  const view = readView(pathname, search);
  const same = saved.data?.find((one) => isSameView(view, one));
  useLookedAt(same);
  // A connected service may have none.
  if (saved.isError) return { entries: [], dialog: null };
  if (same) {
    const notify = readNotify(same);
    const bell: MenuEntry[] =
      notify === undefined
        ? []
        : [
            {
              kind: 'check',
              text: 'Tell me about new matches',
              checked: notify,
              onChange: () => change.mutate(same),
            },
          ];
    const text = `Saved as ${same.name}`;
    const onSelect = () => void navigate(paths.savedSearches);
    return { entries: [{ kind: 'action', text, icon: BookmarkCheck, onSelect }, ...bell], dialog: null };
  }
  const save = () => {
    if (view) setOpen(true);
    else
      toast.warning(
        'A search by an uploaded image cannot be saved. Add the image to the library and find similar ones.',
      );
  };
  return {
    entries: [{ kind: 'action', text: 'Save search', icon: Bookmark, onSelect: save }],
    dialog:
      open && view ? (
        <Suspense>
          <SavedSearchDialog what={{ view, proposed: proposed.slice(0, maxName) }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null,
  };
}
