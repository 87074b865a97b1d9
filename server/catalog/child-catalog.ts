import { inheritedEnvironment } from '../platform/processes/drop-privileges.ts';
import { locateCatalog } from '../platform/storage/data-directory.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';

/** Holds a password, which arguments would show to every user of the machine. */
const variable = 'DATABASE_URL';

/** The environment of a child process that opens the catalog. */
export const childEnvironment = (location: CatalogLocation): NodeJS.ProcessEnv => ({
  ...inheritedEnvironment(),
  ...('url' in location ? { [variable]: location.url } : {}),
});

/** Takes the location of the catalog out of the environment of this child process, so that nothing that it starts inherits it. */
export function takeCatalogLocation(dataDirectory: string): CatalogLocation {
  // oxlint-disable-next-line node/no-process-env -- what its parent hands over
  const { [variable]: url } = process.env;
  // oxlint-disable-next-line node/no-process-env -- as above
  delete process.env[variable];
  return locateCatalog({ dataDirectory, databaseUrl: url ?? null });
}
