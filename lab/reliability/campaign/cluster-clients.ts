import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '../../../contract/media.ts';
import { createTestClient, type TestClient } from '../../../server/testing/running-service.ts';
import type { Campaign } from './campaign.ts';
import type { Member } from './cluster.ts';

/** What a client knows to be stored, because it was acknowledged. */
type AcknowledgedItem = {
  id: string;
  sha256: string;
  /** By which a search finds it and nothing else. */
  word: string;
};

export type ClusterClients = {
  items: Map<string, AcknowledgedItem>;
  /** Items whose deletion was acknowledged. */
  deleted: Set<string>;
  clientOf: (member: Member | undefined) => TestClient;
  /** Uploads and deletes until all uploads are acknowledged. */
  run(options: { clients: number; uploads: number }): Promise<void>;
};

/** Every so many uploads an item is deleted. */
const uploadsPerDeletion = 8;
/** After this time no process may show a deleted item, milliseconds. */
const deletionSeenMs = 1000;
/** A request that has no answer after this time is sent again. */
const patienceMs = 60_000;

type ClusterParts = {
  campaign: Campaign;
  apis: Member[];
  key: string;
  /** What all uploads begin with. */
  photo: string;
};

/** Clients that send each request again, to any API process, until it is answered. */
export async function createClusterClients(parts: ClusterParts): Promise<ClusterClients> {
  const { campaign, apis, key } = parts;
  const { count, pick, violation } = campaign;
  const photo = await readFile(parts.photo);
  const items: ClusterClients['items'] = new Map();
  const deleted: ClusterClients['deleted'] = new Set();
  const clientOf = (member: Member | undefined) => createTestClient(member?.url() ?? '', key);
  let deletions = Promise.resolve();

  /** @returns the first answer that is final */
  async function insist<Answer extends { status: number }>(
    what: string,
    send: (client: TestClient) => Promise<Answer>,
  ): Promise<Answer> {
    for (;;) {
      const answer = await send(clientOf(pick(apis))).catch(() => null);
      // A process was killed or drains, another one is at the same request, or its turn has not come.
      if (answer !== null && answer.status < 500 && answer.status !== 409 && answer.status !== 429) return answer;
      count(answer === null ? `${what} without an answer` : `${what} answered ${answer.status}`);
      await sleep(100);
    }
  }

  async function upload(number: number): Promise<void> {
    const word = `word${number}x`;
    const bytes = Buffer.concat([photo, Buffer.from(`${number} ${randomUUID()}`)]);
    const headers = { 'Idempotency-Key': randomUUID() };
    const { status, data } = await insist('uploads', (client) => {
      const form = new FormData();
      form.set('file', new Blob([bytes]), `${word}.png`);
      const signal = AbortSignal.timeout(patienceMs);
      return client.call<MediaItem>('/media/upload', { method: 'POST', body: form, headers, signal });
    });
    if (status !== 200 && status !== 202 && status !== 201) {
      violation('upload', `${word} answered ${status}`);
      return;
    }
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    items.set(data.id, { id: data.id, sha256, word });
    count('acknowledged uploads');
    if (number % uploadsPerDeletion === uploadsPerDeletion - 1) deletions = deletions.then(deleteOne);
  }

  async function deleteOne(): Promise<void> {
    const item = pick([...items.values()].filter(({ id }) => !deleted.has(id)));
    // What an earlier request did without an answer is found to be gone.
    const { status } = await insist('deletions', (client) => client.delete(`/media/${item.id}`));
    if (status !== 200 && status !== 204 && status !== 404) return violation('deletion', `answered ${status}`);
    deleted.add(item.id);
    count('acknowledged deletions');
    await lookForDeleted(parts, item);
  }

  return {
    items,
    deleted,
    clientOf,
    async run({ clients, uploads }) {
      let next = 0;
      const work = async () => {
        while (next < uploads) await upload(next++);
      };
      await Promise.all(Array.from({ length: clients }, work));
      await deletions;
    },
  };
}

/** No process may show a deleted item, or find it. */
async function lookForDeleted({ campaign, apis, key }: ClusterParts, { id, word }: AcknowledgedItem): Promise<void> {
  const answered = Date.now();
  await sleep(deletionSeenMs);
  for (const api of apis.filter((each) => each.isRunning())) {
    const client = createTestClient(api.url(), key);
    const answers = [client.get<MediaItem>(`/media/${id}`), client.search(word)] as const;
    // It may be killed meanwhile.
    const [seen, found] = await Promise.all(answers).catch(() => [null, null]);
    const after = Date.now() - answered;
    if (seen?.status === 200) campaign.violation('deletion', `${api.name} shows ${id} after ${after} ms`);
    if (found?.status === 200 && found.data.some((hit) => hit.id === id)) {
      campaign.violation('deletion', `${api.name} finds ${id} after ${after} ms`);
    }
    if (seen) campaign.count('deletions that were looked for');
  }
}
