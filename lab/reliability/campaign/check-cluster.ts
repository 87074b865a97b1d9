import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { MediaItem } from '../../../contract/media.ts';
import type { StoredObject } from '../../../server/testing/s3/s3-bucket.ts';
import type { Campaign } from './campaign.ts';
import type { ClusterClients } from './cluster-clients.ts';
import type { Member } from './cluster.ts';

export type ClusterCheck = {
  campaign: Campaign;
  apis: Member[];
  key: string;
  clients: ClusterClients;
  sql: Client;
  /** What the bucket holds, by key. */
  objects: Map<string, Pick<StoredObject, 'body'>>;
  /** The limits of the keys of the service. */
  prefix: string;
};

/** Compares what was acknowledged with what each API process, the database and the bucket hold, once nothing goes on any more. */
export async function checkCluster(check: ClusterCheck): Promise<void> {
  await checkItems(check);
  await checkAnswers(check);
  await checkRows(check);
  await checkObjects(check);
}

const kept = ({ items, deleted }: ClusterClients) => [...items.values()].filter(({ id }) => !deleted.has(id));

/** Everything acknowledged is there, at each process, and found by its own word. */
async function checkItems({ campaign: { count, violation }, apis, clients, objects, prefix, sql }: ClusterCheck) {
  const { rows } = await sql.query<{ id: string; key: string }>(
    `select id, $1 || 'assets/' || workspace_id || '/' || id || '/original' as key from media_items`,
    [prefix],
  );
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  for (const { id, sha256, word } of kept(clients)) {
    for (const api of apis) {
      const client = clients.clientOf(api);
      const { status, data } = await client.get<MediaItem>(`/media/${id}`);
      if (status !== 200) violation('lost', `${api.name} answers ${status} for ${word}, ${id}`);
      else if (data.sha256 !== sha256) violation('lost', `${api.name} has other bytes of ${word}`);
      else if (data.status !== 'complete') violation('not ended', `${word} is ${data.status}: ${data.error?.message}`);
      const found = (await client.search(word)).data.map((hit) => hit.id);
      if (found.length !== 1 || found[0] !== id) violation('search', `${api.name} finds ${found.length} for ${word}`);
    }
    const original = objects.get(keys.get(id) ?? '');
    if (!original) violation('lost', `The bucket has no original of ${word}`);
    else if (createHash('sha256').update(original.body).digest('hex') !== sha256) {
      violation('lost', `The bucket has other bytes of ${word}`);
    }
    count('items compared');
  }
  const total = kept(clients).length;
  if (rows.length !== total) violation('rows', `${rows.length} items are stored instead of ${total}`);
}

/**
 * How far the scores of one hit may be apart. Until its index is in the memory of a process, the database ranks a search of it, whose vectors are at half precision;
 * and in an index texts that were deleted count until segments are merged, as in Lucene.
 */
const scoreTolerance = 0.01;

type Hit = { id: string; score: number; signals: Record<string, unknown> };

/** All processes give the same answers. */
async function checkAnswers({ campaign: { count, violation }, apis, clients }: ClusterCheck): Promise<void> {
  const paths = ['/media?per_page=100', '/media?per_page=100&page=2', '/media/highlights?n=20', '/workspace'];
  const searches = ['/media/search?q=checkers&n=50', '/media/search?q=word1x%20word2x'];
  const ask = <Data>(path: string) => Promise.all(apis.map((api) => clients.clientOf(api).call<Data>(path)));
  // Addresses of files have the host that was asked.
  const toText = (body: unknown, i: number) => JSON.stringify(body).replaceAll(apis[i]?.url() ?? '', '');
  const compare = (path: string, bodies: string[]) => {
    const first = bodies.map((each) => each.slice(0, 400)).join(' | ');
    if (new Set(bodies).size > 1) violation('answers differ', `${path}: ${first}`);
    count('answers compared');
  };
  for (const path of searches) {
    const answers = await ask<Hit[]>(path);
    const hits = answers.map(({ data }) => data.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    const apart = (hits[0] ?? []).map(({ score }, place) =>
      Math.max(...hits.map((others) => Math.abs((others[place]?.score ?? NaN) - score))),
    );
    if (apart.some((distance) => !(distance <= scoreTolerance)))
      violation('answers differ', `${path}: scores are ${apart.join(', ')} apart`);
    compare(
      path,
      answers.map(({ status }, i) => toText({ status, data: hits[i]?.map(withoutScores) }, i)),
    );
  }
  for (const path of paths) {
    // The searches above are added to the workspace's count each second.
    if (path === '/workspace') await delay(3000);
    const answers = await ask<unknown>(path);
    compare(
      path,
      answers.map(({ data, status }, i) => toText({ status, data }, i)),
    );
  }
}

const withoutScores = ({ signals, ...hit }: Hit) => ({
  ...hit,
  score: null,
  signals: { ...signals, visual: null, text: null },
});

/** Each item was indexed once, and no job is left. */
async function checkRows({ campaign: { violation }, sql }: ClusterCheck): Promise<void> {
  const expectNone = async (kind: string, query: string) => {
    const { rows } = await sql.query<Record<string, unknown>>(query);
    if (rows.length > 0) violation(kind, `${rows.length} rows, such as ${JSON.stringify(rows[0])}`);
  };
  await expectNone(
    'indexed twice',
    `select m.id, m.chunk_count, count(c.number) as chunks from media_items m left join chunks c on c.workspace_id = m.workspace_id and c.media_id = m.id
     group by m.workspace_id, m.id, m.chunk_count having count(c.number) <> 1 or m.chunk_count <> 1`,
  );
  await expectNone(
    'indexed twice',
    `select c.media_id, count(v.chunk_number) as vectors from chunks c left join chunk_vectors v on v.workspace_id = c.workspace_id and v.chunk_number = c.number
     group by c.workspace_id, c.media_id having count(v.chunk_number) <> 1`,
  );
  await expectNone('stored twice', 'select sha256 from media_items group by workspace_id, sha256 having count(*) > 1');
  await expectNone('jobs left', 'select media_id, kind, lease_owner from jobs');
}

/** Besides originals the bucket holds what the rows of items name, and nothing of items that are gone. */
async function checkObjects({ campaign: { count, violation }, sql, objects, prefix }: ClusterCheck): Promise<void> {
  const { rows } = await sql.query<{ id: string; token: string }>(
    `select id, coalesce(renditions_token::text, '') as token from media_items`,
  );
  const tokens = new Map(rows.map(({ id, token }) => [id, token]));
  const pending = new Set(
    (await sql.query<{ media_id: string }>('select media_id from pending_removals')).rows.map((row) => row.media_id),
  );
  for (const key of objects.keys()) {
    const [, id = '', rest = ''] = new RegExp(`^${prefix}assets/[^/]+/([^/]+)/(.*)$`).exec(key) ?? [];
    if (id === '' || pending.has(id)) continue;
    const token = tokens.get(id);
    if (token === undefined) count(`objects of items that are not stored, for lost+found (${rest.split('/')[0]})`);
    else if (rest.startsWith('renditions/') && !rest.startsWith(`renditions/${token}/`)) {
      count('objects of attempts that were killed');
    }
  }
  for (const [id, token] of tokens) {
    const has = [...objects.keys()].some((key) => key.includes(`/${id}/renditions/${token}/`));
    if (!has) violation('lost', `The bucket has no renditions of ${id}`);
  }
}
