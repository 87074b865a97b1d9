import { createHash } from 'node:crypto';
import type { MediaItem } from '../../../contract/media.ts';
import type { TestClient } from '../../../server/testing/running-service.ts';
import type { Campaign } from './campaign.ts';
import { type Ledger, type LedgerEntry, newEntry } from './ledger.ts';

/** Compares the state of the service with all that it acknowledged. Files: those stored since the last check, and a few others. */
export async function checkLedger(campaign: Campaign, ledger: Ledger, client: TestClient): Promise<void> {
  const listed = await listAll<MediaItem>(client, '/media', '&sort=created_at');
  const trashed = await listAll<{ id: string }>(client, '/trash');
  checkAcknowledged(campaign, ledger, listed, trashed);
  checkListed(campaign, ledger, listed);
  for (const id of trashed.keys()) {
    if (ledger.deleted.has(id)) campaign.violation('came back', `The deleted item ${id} is in the trash.`);
  }
  await checkFiles(campaign, ledger, listed);
  await checkCreators(campaign, ledger, client);
  await checkShares(campaign, ledger, client);
}

/** Every acknowledged item is listed, unless its deletion had no response. */
function checkAcknowledged(
  campaign: Campaign,
  ledger: Ledger,
  listed: Map<string, MediaItem>,
  trashed: Map<string, unknown>,
): void {
  for (const [id, entry] of ledger.items) {
    const item = listed.get(id);
    const isTrashed = trashed.has(id);
    if ((item || isTrashed) && !entry.trashed.has(isTrashed))
      campaign.violation('change lost', `The item ${id} is ${isTrashed ? '' : 'not '}in the trash.`);
    if (item || isTrashed) entry.trashed = new Set([isTrashed]);
    if (isTrashed) campaign.count('items in the trash compared with the ledger');
    else if (!item && ledger.maybeDeleted.has(id)) {
      ledger.items.delete(id);
      ledger.deleted.add(id);
    } else if (item) checkItem(campaign, item, entry);
    else campaign.violation('lost', `The item ${id} (${entry.sha256}) is gone.`);
  }
  ledger.maybeDeleted.clear();
}

function checkItem({ count, violation }: Campaign, item: MediaItem, entry: LedgerEntry): void {
  count('items compared with the ledger');
  if (item.sha256 !== entry.sha256 || item.size !== entry.size)
    violation('changed', `The item ${item.id} has another checksum or size.`);
  if (!entry.creators.has(item.creator_id))
    violation('change lost', `The item ${item.id} has creator ${item.creator_id}.`);
  else entry.creators = new Set([item.creator_id]);
  for (const [tag, may] of entry.tags) {
    const has = item.tag_ids.includes(tag);
    if (!may.has(has)) violation('change lost', `The item ${item.id} has ${has ? '' : 'not '}the tag ${tag}.`);
    entry.tags.set(tag, new Set([has]));
    count('tags compared with the ledger');
  }
}

/** Every listed item was acknowledged, or was sent without a response; none was deleted. */
function checkListed({ count, violation }: Campaign, ledger: Ledger, listed: Map<string, MediaItem>): void {
  const { items, deleted, unanswered } = ledger;
  for (const [id, item] of listed) {
    if (deleted.has(id)) violation('came back', `The deleted item ${id} is listed.`);
    if (items.has(id) || deleted.has(id)) continue;
    const sha256 = item.sha256 ?? '';
    const size = unanswered.get(sha256);
    if (size === undefined) violation('unknown', `The item ${id} was never sent.`);
    else items.set(id, newEntry(sha256, size));
    unanswered.delete(sha256);
    count('uploads without a response that are listed');
  }
}

async function checkFiles(campaign: Campaign, ledger: Ledger, listed: Map<string, MediaItem>): Promise<void> {
  const ids = [...ledger.items.keys()];
  const others = Array.from({ length: 3 }, () => (ids.length > 0 ? campaign.pick(ids) : ''));
  for (const id of new Set([...ledger.uncheckedFiles, ...others])) {
    const item = listed.get(id);
    if (item && ledger.items.has(id)) await checkFile(campaign, item);
  }
  ledger.uncheckedFiles.clear();
}

async function checkFile({ count, violation }: Campaign, item: MediaItem): Promise<void> {
  count('files downloaded and compared');
  const response = await fetch(item.download_url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const checksum = createHash('sha256').update(bytes).digest('hex');
  if (response.status !== 200) violation('file', `The file of ${item.id} gives ${response.status}.`);
  else if (checksum !== item.sha256)
    violation('file', `The file of ${item.id} has ${bytes.length} bytes and another checksum.`);
  if (item.status !== 'complete') return;
  const thumbnail = await fetch(item.thumbnail ?? '').catch(() => undefined);
  if (thumbnail?.status !== 200) violation('thumbnail', `The thumbnail of ${item.id} gives ${thumbnail?.status}.`);
  await thumbnail?.arrayBuffer();
}

async function checkCreators({ violation }: Campaign, ledger: Ledger, client: TestClient): Promise<void> {
  const listed = await listAll<{ id: string; name: string }>(client, '/creators');
  for (const [id, name] of ledger.creators) {
    const found = listed.get(id)?.name;
    if (found !== name) violation('lost', `The creator ${name} is ${found}.`);
  }
}

/** Links of items in the trash give nothing, and are not listed. */
async function checkShares({ count, violation }: Campaign, ledger: Ledger, client: TestClient): Promise<void> {
  const listed = await listAll<{ id: string }>(client, '/shares');
  for (const [id, item] of ledger.shares) {
    const entry = ledger.items.get(item);
    if (!entry || entry.trashed.has(true)) continue;
    count('shares compared with the ledger');
    if (!listed.has(id)) violation('lost', `The public link ${id} is gone.`);
  }
  for (const id of ledger.revokedShares) if (listed.has(id)) violation('came back', `The revoked link ${id} works.`);
}

/** All pages of a list, by identifier. */
export async function listAll<Listed extends { id: string }>(
  client: TestClient,
  path: string,
  parameters = '',
): Promise<Map<string, Listed>> {
  const listed = new Map<string, Listed>();
  for (let page = 1; ; page++) {
    const { data, meta } = await client.get<Listed[], { has_more: boolean }>(
      `${path}?per_page=100&page=${page}${parameters}`,
    );
    for (const item of data) listed.set(item.id, item);
    if (!meta.has_more) return listed;
  }
}
