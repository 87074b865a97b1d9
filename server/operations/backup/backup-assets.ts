import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RenditionOwner } from '../../assets/asset-store.ts';
import { renditionPath } from '../../assets/disk-layout.ts';
import type { ReadableAssets } from '../migrate/copy-assets.ts';
import { readRenditionList, renditionListName } from './backup-folder.ts';

/** The files of a backup, as the store that they are from. */
export function createBackupAssets(folder: string): ReadableAssets {
  const itemFolder = (owner: { workspace_id: string; id: string }) =>
    path.join(folder, 'assets', owner.workspace_id, owner.id);

  /** Where the renditions of an attempt are, and their names; null: they are not in the backup. */
  async function findRenditions(owner: RenditionOwner): Promise<{ folder: string; names: string[] } | null> {
    for (const name of await readdir(itemFolder(owner)).catch((): string[] => [])) {
      const found = path.join(itemFolder(owner), name);
      const list = await readFile(path.join(found, renditionListName), 'utf8').catch(() => null);
      if (list === null || name.endsWith('.new')) continue;
      const renditions = readRenditionList(list);
      if (renditions.folder !== renditionPath(owner)) continue;
      return { folder: found, names: renditions.files.map((file) => file.path) };
    }
    return null;
  }

  return {
    listRenditions: async (owner) => (await findRenditions(owner))?.names ?? [],

    async withLocalCopy(asset, work) {
      const item = itemFolder(asset.owner);
      if (asset.kind !== 'rendition') return work(path.join(item, 'original'));
      const found = await findRenditions({ ...asset.owner, renditions_token: asset.token });
      return work(path.join(found?.folder ?? item, asset.name));
    },
  };
}
