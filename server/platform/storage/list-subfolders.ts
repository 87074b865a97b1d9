import { readdir } from 'node:fs/promises';
import { hasErrorCode } from '../../errors/system-errors.ts';

/**
 * The names of the folders within a folder; none when it is absent.
 * @param prefix of the names. Hidden folders are listed only with a prefix that begins with a dot.
 */
export async function listSubfolders(folder: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix))
    .filter(({ name }) => prefix.startsWith('.') || !name.startsWith('.'))
    .map(({ name }) => name);
}
