import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { readAgain } from '../../catalog/queue/extraction-jobs.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { extractionSources } from '../../catalog/texts/text-extractions.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Settings } from '../../settings.ts';
import { findNamedWorkspace } from './workspaces.ts';

/**
 * `admin text read`: has what is written, or said, in the items of one workspace or of all recognised again, such as by another model.
 * Throws `StartupError`.
 */
export async function readTextsAgain(
  db: Catalog,
  settings: Settings,
  name: string,
  workspaceName: string | undefined,
): Promise<void> {
  const source = extractionSources.find((each) => each === name);
  if (!source)
    throw new StartupError(`There is no text of the kind ${name}. There are: ${extractionSources.join(', ')}.`);
  const setting = source.toUpperCase();
  if (settings[source] === 'off') throw new StartupError(`The setting ${setting} is off; nothing would read it again.`);
  const workspaces =
    workspaceName === undefined ? await listWorkspaces(db) : [await findNamedWorkspace(db, workspaceName)];
  let count = 0;
  for (const { id } of workspaces) count += await readAgain(db, id, source);
  console.log(
    `${count} ${count === 1 ? 'item is' : 'items are'} read again. Until then searches find what was read before.`,
  );
}
