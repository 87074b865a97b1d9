import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * A file of the machine, to upload. Its bytes are read when they are sent; when the file is changed meanwhile reading them fails.
 * @throws what the file system says, such as ENOENT
 */
export async function openFile(file: string): Promise<File> {
  const [content, { mtimeMs }] = await Promise.all([openAsBlob(file), stat(file)]);
  return new File([content], path.basename(file), { lastModified: Math.floor(mtimeMs) });
}
