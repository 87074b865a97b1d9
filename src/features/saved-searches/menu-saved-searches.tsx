import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'react-router';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { paths } from '../../paths.ts';
import { nestedEntry } from '../../ui/menu-entry.ts';
import { NewMatches } from './new-matches.tsx';
import { isSameView, readView } from './saved-view.ts';

/** Most that the menu lists: the newest. The page of all saved searches has the others. */
const maxListed = 8;

/** The newest saved searches; the one that is shown is marked. */
export function MenuSavedSearches() {
  const { data } = useQuery(savedSearchesOptions);
  const { pathname } = useLocation();
  const [search] = useSearchParams();
  // A connected service may have none.
  if (!data || data.length === 0) return null;
  const view = readView(pathname, search);
  return (
    <ul aria-label="Saved searches" className="space-y-0.5">
      {data.slice(0, maxListed).map((saved) => {
        const isShown = isSameView(view, saved);
        return (
          <li key={saved.id}>
            <Link
              to={paths.saved(saved)}
              title={saved.name}
              aria-current={isShown ? 'page' : undefined}
              className={nestedEntry(isShown)}
            >
              <span className="min-w-0 flex-1 truncate">{saved.name}</span>
              <NewMatches saved={saved} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
