import { useQuery } from '@tanstack/react-query';
import { Bookmark, BookmarkCheck } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { lazyPart } from '../../api/parts.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';
import { useLookedAt } from './new-matches.tsx';
import { NotifyBell } from './notify-bell.tsx';
import { isSameView, readView } from './saved-view.ts';

const SavedSearchDialog = lazyPart(async () => (await import('./saved-search-dialog.tsx')).SavedSearchDialog);

/** Most characters of a name. */
const maxName = 120;

/**
 * Saves what the page shows under a name, or says that it is saved.
 * @param proposed the name that is proposed
 */
export function SaveSearch({ proposed }: { proposed: string }) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const [search] = useSearchParams();
  const saved = useQuery(savedSearchesOptions);
  const view = readView(pathname, search);
  const same = saved.data?.find((one) => isSameView(view, one));
  useLookedAt(same);
  // A connected service may have none.
  if (saved.isError) return null;
  if (same) {
    return (
      <>
        <NotifyBell saved={same} />
        <Button asChild variant="pressed">
          <Link to={paths.savedSearches} title={`Saved as ${same.name}`}>
            <BookmarkCheck aria-hidden />
            Saved
          </Link>
        </Button>
      </>
    );
  }
  const save = () => {
    if (view) setOpen(true);
    else
      toast.warning(
        'A search by an uploaded image cannot be saved. Add the image to the library and find similar ones.',
      );
  };
  return (
    <>
      <Button variant="quiet" onClick={save}>
        <Bookmark aria-hidden />
        Save
        <span className="sr-only">search</span>
      </Button>
      {open && view ? (
        <Suspense>
          <SavedSearchDialog what={{ view, proposed: proposed.slice(0, maxName) }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
