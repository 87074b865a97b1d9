import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createLostAndFound } from '../assets/lost-and-found.ts';

/**
 * Puts a file into the lost+found of a service's first workspace, as a start does with what the catalog does not list.
 * @returns its identifier there
 */
export async function addLostFile(
  { folder, workspaceId }: { folder: string; workspaceId: string },
  file: string,
): Promise<string> {
  const owner = { workspace_id: workspaceId, id: randomUUID() };
  const item = path.join(folder, 'data', 'assets', workspaceId, owner.id);
  await mkdir(item, { recursive: true });
  await copyFile(file, path.join(item, 'original'));
  await createLostAndFound(path.join(folder, 'data')).quarantine(owner, 'A test took its row away.');
  return owner.id;
}
