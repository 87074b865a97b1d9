import { useQuery } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import { NavLink } from 'react-router';
import { sourcesOptions } from '../../api/sources.ts';
import { paths } from '../../paths.ts';
import { nestedEntry } from '../../ui/menu-entry.ts';

/** Most that the menu lists; the settings have all. */
const maxListed = 8;

/** The sources of the workspace, each with its page; nothing where there are none. */
export function MenuSources() {
  const { data = [] } = useQuery(sourcesOptions);
  if (data.length === 0) return null;
  return (
    <ul aria-label="Sources" className="space-y-0.5">
      {data.slice(0, maxListed).map(({ id, name, state }) => (
        <li key={id}>
          <NavLink to={paths.source(id)} title={name} className={({ isActive }) => nestedEntry(isActive)}>
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {state === 'offline' ? (
              <span title="Offline">
                <Unplug className="size-3.5" aria-hidden />
                <span className="sr-only">offline</span>
              </span>
            ) : null}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}
