import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '../../../server/testing/running-service.ts';
import { createTusRequests } from '../../../server/testing/tus-requests.ts';
import type { Campaign } from './campaign.ts';
import type { Ledger, LedgerUpload } from './ledger.ts';

/** Where a service is, and how it is asked. */
type Asked = { url: string; key: string; client: TestClient };

/** Changes of an item, its trash, tags and public links, and resumable uploads; each is in the ledger before it is sent, and confirmed after. */
export const labelRequests = ['trash', 'restore', 'tag', 'share', 'revoke', 'tus', 'tus', 'tus'] as const;

/**
 * Sends one of `labelRequests`.
 * @param item one that no other request changes meanwhile; undefined: there is none
 */
export async function sendLabelRequest(
  kind: (typeof labelRequests)[number],
  { campaign, ledger }: { campaign: Campaign; ledger: Ledger },
  { url, key, client }: Asked,
  item: string | undefined,
  makeFile: () => Buffer<ArrayBuffer>,
): Promise<void> {
  if (kind === 'tus') return sendUpload(campaign, ledger, { url, key }, makeFile);
  const entry = item === undefined ? undefined : ledger.items.get(item);
  if (item === undefined || !entry) return;
  if (kind === 'trash' || kind === 'restore') {
    const isTrashed = kind === 'trash';
    entry.trashed.add(isTrashed);
    const { status } = await client.post(isTrashed ? '/trash' : '/trash/restore', { ids: [item] });
    if (status !== 200) return;
    entry.trashed = new Set([isTrashed]);
    campaign.count(isTrashed ? 'acknowledged moves to the trash' : 'acknowledged restores');
  } else if (kind === 'tag') {
    // The service ignores changes of items in the trash.
    if (!entry.trashed.has(true)) await changeTag(campaign, ledger, client, item);
  } else if (kind === 'share') {
    const { status, data } = await client.post<{ id: string }>('/shares', { media_id: item });
    if (status !== 201) return;
    ledger.shares.set(data.id, item);
    campaign.count('acknowledged shares');
  } else {
    const [share] = [...ledger.shares].find(([, shared]) => shared === item) ?? [];
    if (share === undefined) return;
    // From here on it may be revoked.
    ledger.shares.delete(share);
    if ((await client.delete(`/shares/${share}`)).status !== 200) return;
    ledger.revokedShares.add(share);
    campaign.count('acknowledged revocations');
  }
}

async function changeTag(campaign: Campaign, ledger: Ledger, client: TestClient, item: string): Promise<void> {
  if (ledger.tags.size < 5) {
    const name = `Tag ${crypto.randomUUID()}`;
    const { status, data } = await client.post<{ id: string }>('/tags', { name });
    if (status === 201) ledger.tags.set(data.id, name);
    return;
  }
  const tag = campaign.pick([...ledger.tags.keys()]);
  const tags = ledger.items.get(item)?.tags;
  const has = campaign.chance(0.7);
  tags?.set(tag, new Set([...(tags.get(tag) ?? [false]), has]));
  const { status } = await client.post(`/tags/${tag}/items`, has ? { add: [item] } : { remove: [item] });
  if (status !== 200) return;
  tags?.set(tag, new Set([has]));
  campaign.count('acknowledged changes of tags');
}

/** Begins a resumable upload, or goes on with one that was interrupted, and sends some parts of it. */
async function sendUpload(
  campaign: Campaign,
  ledger: Ledger,
  service: { url: string; key: string },
  makeFile: () => Buffer<ArrayBuffer>,
): Promise<void> {
  const tus = createTusRequests(service);
  const isWhole = ({ acknowledged, bytes }: LedgerUpload) => acknowledged === bytes.length;
  let upload = [...ledger.uploads].find((each) => !isWhole(each));
  if (upload) ledger.uploads.delete(upload);
  else {
    const bytes = makeFile();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const begun = await tus.post(bytes.length, { filename: 'file.bin' });
    if (begun.status !== 201) return;
    upload = { at: String(begun.headers.get('Location')), bytes, sha256, acknowledged: 0 };
    ledger.unanswered.set(sha256, bytes.length);
  }
  try {
    if (upload.acknowledged > 0) await checkOffset(campaign, tus, upload);
    // Without a 204 for its last bytes it is an item only once a start has ended it: `checkUploads` waits for that.
    if (isWhole(upload)) return void ledger.uploads.add(upload);
    while (!isWhole(upload)) {
      if (campaign.chance(0.2)) return void ledger.uploads.add(upload);
      const end = Math.min(upload.bytes.length, upload.acknowledged + 1 + campaign.integer(upload.bytes.length));
      const { status } = await tus.patch(
        upload.at,
        upload.acknowledged,
        upload.bytes.subarray(upload.acknowledged, end),
      );
      if (status !== 204) {
        const at = Number((await tus.head(upload.at)).headers.get('Upload-Offset'));
        if (at > upload.acknowledged) upload.acknowledged = at;
        return void ledger.uploads.add(upload);
      }
      upload.acknowledged = end;
      campaign.count('acknowledged parts');
    }
    await noteItem(campaign, ledger, tus, upload);
  } catch (error) {
    ledger.uploads.add(upload);
    throw error;
  }
}

/** What was acknowledged is never asked for again. */
async function checkOffset(
  { violation }: Campaign,
  tus: ReturnType<typeof createTusRequests>,
  upload: LedgerUpload,
): Promise<void> {
  const answer = await tus.head(upload.at);
  const offset = Number(answer.headers.get('Upload-Offset') ?? -1);
  if (answer.status === 200 && offset < upload.acknowledged)
    violation('lost', `An upload is at ${offset}, and ${upload.acknowledged} were acknowledged.`);
  if (answer.status === 404) violation('lost', `The upload ${upload.at} is gone.`);
  if (answer.status === 200) upload.acknowledged = offset;
}

async function noteItem(
  campaign: Campaign,
  ledger: Ledger,
  tus: ReturnType<typeof createTusRequests>,
  upload: LedgerUpload,
): Promise<void> {
  const { media_id } = await tus.get(upload.at);
  if (media_id === null)
    return campaign.violation('lost', `The upload ${upload.at} was acknowledged to its end, and is no item.`);
  ledger.unanswered.delete(upload.sha256);
  if (!ledger.items.has(media_id) && !ledger.deleted.has(media_id))
    ledger.addItem(media_id, upload.sha256, upload.bytes.length);
  campaign.count('acknowledged tus uploads');
}

/** Each upload whose bytes have all arrived becomes an item, also when its client sends nothing more: a start ends what a kill has interrupted. */
export async function checkUploads(
  campaign: Campaign,
  ledger: Ledger,
  service: { url: string; key: string },
): Promise<void> {
  const tus = createTusRequests(service);
  for (const upload of ledger.uploads) {
    let { offset, length, media_id } = await tus.get(upload.at);
    if (offset < upload.acknowledged)
      campaign.violation('lost', `An upload is at ${offset}, and ${upload.acknowledged} were acknowledged.`);
    for (let tries = 0; offset === length && media_id === null && tries < 100; tries++) {
      await sleep(200);
      ({ offset, length, media_id } = await tus.get(upload.at));
    }
    if (offset < length) continue;
    ledger.uploads.delete(upload);
    campaign.count('uploads ended by a start');
    upload.acknowledged = length;
    await noteItem(campaign, ledger, tus, upload);
  }
}
