import { createHash } from 'node:crypto';
import type { MediaItem } from '../../contract/media.ts';
import type { TestClient } from '../../server/testing/running-service.ts';
import type { Campaign } from './campaign.ts';

type Entry = {
  sha256: string;
  size: number;
  /** What `creator_id` may be: the last acknowledged one, and those of changes that had no answer. */
  creators: Set<string | null>;
};

/** All that the service acknowledged, and what it may have done without an answer. */
export function createLedger({ violation, count, pick }: Campaign) {
  const items = new Map<string, Entry>();
  const deleted = new Set<string>();
  /** Items whose deletion had no answer. */
  const maybeDeleted = new Set<string>();
  /** Sums of uploads that had no answer, with their sizes. */
  const unanswered = new Map<string, number>();
  const creators = new Map<string, string>();
  const invitations = new Set<string>();
  /** Since the last check in full. */
  const uncheckedFiles = new Set<string>();

  return {
    items,
    creators,
    invitations,
    unanswered,

    addItem(id: string, sha256: string, size: number): void {
      items.set(id, { sha256, size, creators: new Set([null]) });
      uncheckedFiles.add(id);
    },
    beginChange(id: string, creator: string | null): void {
      items.get(id)?.creators.add(creator);
    },
    confirmChange(id: string, creator: string | null): void {
      const entry = items.get(id);
      if (entry) entry.creators = new Set([creator]);
    },
    beginDeletion(id: string): void {
      maybeDeleted.add(id);
    },
    confirmDeletion(id: string): void {
      items.delete(id);
      uncheckedFiles.delete(id);
      maybeDeleted.delete(id);
      deleted.add(id);
    },

    /** Holds what the service has against all that it acknowledged. Files: those stored since the last check, and a few others. */
    async check(client: TestClient): Promise<void> {
      const listed = await listAll(client);
      for (const [id, entry] of items) {
        const item = listed.get(id);
        if (!item && maybeDeleted.has(id)) {
          items.delete(id);
          deleted.add(id);
        } else if (item) compare(item, entry);
        else violation('lost', `The item ${id} (${entry.sha256}) is gone.`);
      }
      maybeDeleted.clear();
      for (const [id, item] of listed) {
        if (deleted.has(id)) violation('came back', `The deleted item ${id} is listed.`);
        if (items.has(id) || deleted.has(id)) continue;
        const size = unanswered.get(item.sha256);
        if (size === undefined) violation('unknown', `The item ${id} was never sent.`);
        else items.set(id, { sha256: item.sha256, size, creators: new Set([null]) });
        unanswered.delete(item.sha256);
        count('uploads without an answer that are there');
      }
      const others = [...items.keys()].filter(() => items.size > 0);
      const tried = new Set([
        ...uncheckedFiles,
        ...Array.from({ length: 3 }, () => (others.length > 0 ? pick(others) : '')),
      ]);
      for (const id of tried) if (items.has(id)) await checkFile(id, listed.get(id));
      uncheckedFiles.clear();
      await checkCreators(client);
    },
  };

  function compare(item: MediaItem, entry: Entry): void {
    count('items held against the ledger');
    if (item.sha256 !== entry.sha256 || item.size !== entry.size)
      violation('changed', `The item ${item.id} has another sum or size.`);
    if (!entry.creators.has(item.creator_id))
      violation('change lost', `The item ${item.id} has creator ${item.creator_id}.`);
    else entry.creators = new Set([item.creator_id]);
  }

  async function checkFile(id: string, item: MediaItem | undefined): Promise<void> {
    if (!item) return;
    count('files downloaded and compared');
    const response = await fetch(item.download_url);
    const bytes = Buffer.from(await response.arrayBuffer());
    const checksum = createHash('sha256').update(bytes).digest('hex');
    if (response.status !== 200) violation('file', `The file of ${id} gives ${response.status}.`);
    else if (checksum !== item.sha256)
      violation('file', `The file of ${id} has ${bytes.length} bytes and another sum.`);
    if (item.status !== 'complete') return;
    const thumbnail = await fetch(item.thumbnail ?? '').catch(() => undefined);
    if (thumbnail?.status !== 200) violation('thumbnail', `That of ${id} gives ${thumbnail?.status}.`);
    await thumbnail?.arrayBuffer();
  }

  async function checkCreators(client: TestClient): Promise<void> {
    const listed = new Map<string, string>();
    for (let page = 1; ; page++) {
      const { data, meta } = await client.get<{ id: string; name: string }[], { has_more: boolean }>(
        `/creators?per_page=100&page=${page}`,
      );
      for (const { id, name } of data) listed.set(id, name);
      if (!meta.has_more) break;
    }
    for (const [id, name] of creators)
      if (listed.get(id) !== name) violation('lost', `The creator ${name} is ${listed.get(id)}.`);
  }
}

async function listAll(client: TestClient): Promise<Map<string, MediaItem>> {
  const listed = new Map<string, MediaItem>();
  for (let page = 1; ; page++) {
    const { data, meta } = await client.get<MediaItem[], { has_more: boolean }>(
      `/media?per_page=100&page=${page}&sort=created_at`,
    );
    for (const item of data) listed.set(item.id, item);
    if (!meta.has_more) return listed;
  }
}
