import path from 'node:path';
import { readFilteredVectors } from '../../server/catalog/media/chunk-vectors.ts';
import { findChunks } from '../../server/catalog/media/chunks.ts';
import { startTestService, type TestClient } from '../../server/testing/running-service.ts';

/** Files to upload: what is of one group can be searched on its own. */
export type Upload = { group: string; folder: string; files: string[] };

/** What to search in: a group, or photographs or clips of it; without a limit, everything. */
export type Scope = { group?: string; type?: 'image' | 'video' };

/** A chunk's vector, the file that it is of, and the group that the file was uploaded with. */
export type StoredImage = { file: string; group: string; vector: Float32Array };

/** A running service that holds some files, under names that say nothing: what is found is found by its image. */
export type Library = AsyncDisposable & {
  client: TestClient;
  /** Id of the embedder at work. */
  embedder: string;
  /** The first ten files that a search finds, each once. */
  search: (query: string, scope?: Scope) => Promise<string[]>;
  /** Files by the ids of their items. */
  files: Map<string, string>;
  /** The vectors of all chunks, as they are stored. */
  readVectors: () => Promise<StoredImage[]>;
};

/**
 * Uploads files to a service of their own and waits until they are indexed.
 * @param keep a folder for the data, so that the next call uploads nothing again; without one, all is removed at the end
 */
export async function openLibrary(embedder: string, uploads: Upload[], keep?: string): Promise<Library> {
  const data = keep === undefined ? {} : { dataDirectory: path.resolve(keep, path.basename(embedder)) };
  const service = await startTestService({ embedder, workers: 2, ...data });
  const { client, db, workspaceId } = service;
  const files = new Map<string, string>();
  const groupOf = new Map<string, string>();
  const creators = new Map<string, string>();
  for (const [place, { group, folder, files: members }] of uploads.entries()) {
    const creator = creators.get(group) ?? (await findOrAddCreator(client, `qx${place}`));
    creators.set(group, creator);
    for (const file of members) {
      // Bytes that are there already are not stored again, and the answer names their item.
      const { data: item } = await client.upload(path.join(folder, file), `qz${files.size}${path.extname(file)}`, {
        creator_id: creator,
      });
      files.set(item.id, file);
      groupOf.set(item.id, group);
    }
  }
  for (const id of files.keys()) await waitForItem(client, id);
  const { data: workspace } = await client.get<{ embedder: { id: string } }>('/workspace');
  return {
    client,
    embedder: workspace.embedder.id,
    files,
    async search(query, { group, type } = {}) {
      const creator = group === undefined ? '' : `&creator_id=${creators.get(group)}`;
      // A clip may be found several times, so more hits than files are asked for.
      const { data } = await client.search(query, `&n=40${creator}${type === undefined ? '' : `&type=${type}`}`);
      return [...new Set(data.map(({ id }) => files.get(id) as string))].slice(0, 10);
    },
    async readVectors() {
      const stored = await readFilteredVectors(db, workspaceId, workspace.embedder.id, {}, 1_000_000);
      const chunks = await findChunks(
        db,
        workspaceId,
        stored.map(({ number }) => number),
      );
      const items = new Map(chunks.map((chunk) => [chunk.number, chunk.media_id]));
      return stored.map(({ number, vector }) => {
        const id = items.get(number) as string;
        return { file: files.get(id) as string, group: groupOf.get(id) as string, vector };
      });
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function findOrAddCreator(client: TestClient, name: string): Promise<string> {
  const { data } = await client.get<{ id: string; name: string }[]>(`/creators?q=${name}`);
  const known = data.find((creator) => creator.name === name);
  return known?.id ?? (await client.post<{ id: string }>('/creators', { name })).data.id;
}

/** Unlike a test, a benchmark waits for as long as a queue of a thousand items takes. */
export async function waitForItem(client: TestClient, id: string): Promise<void> {
  for (;;) {
    const { data } = await client.get<{ status: string; filename: string }>(`/media/${id}`);
    if (data.status === 'complete') return;
    if (data.status === 'error') throw new Error(`${data.filename} could not be indexed.`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
