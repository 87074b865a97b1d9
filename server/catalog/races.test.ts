import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { addMember } from '../testing/add-member.ts';
import { needsServer, testDatabaseUrl } from '../testing/temporary-database.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { issueApiKey, listApiKeys, rotateApiKey } from './accounts/api-keys.ts';
import { storeResponse } from './accounts/idempotency.ts';
import { acceptInvitation, createInvitation } from './accounts/invitations.ts';
import { changeRole, listMembers, removeMember } from './accounts/members.ts';
import { createPerson, updatePerson } from './accounts/people.ts';
import { assignPlan, savePlan } from './accounts/plans.ts';
import { listEventsAfter, recordEvent } from './events/events.ts';
import { changeMembers, createGroup, deleteGroup, findGroup } from './labels/item-groups.ts';
import { createLabel, deleteLabel, findLabel, updateLabel } from './labels/labels.ts';
import { addMedia, changeMedia, deleteMedia, findStoredMedia, type NewMedia } from './media/media-items.ts';
import { findWrongTotals, readMediaUsage } from './media/media-totals.ts';
import { moveToTrash, restoreFromTrash } from './media/trash.ts';
import type { Catalog } from './schema.ts';
import { createSavedSearch } from './searches/saved-searches.ts';

/**
 * What two requests at the same time could break, on several connections of a PostgreSQL server: each is tried some times. Most fail when
 * transactions of a workspace do not wait for each other (`transactions.ts`), which SQLite cannot show.
 */

const rounds = 8;
const secrets = createSecrets(new Uint8Array(32));
let t: Awaited<ReturnType<typeof openTestCatalog>>;

beforeAll(async () => {
  if (testDatabaseUrl) t = await openTestCatalog('postgres');
});
afterAll(() => t?.[Symbol.asyncDispose]());

/** The results of attempts at the same time, in no particular order; an error as its code. */
const atOnce = async (...attempts: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(attempts)).map((result) =>
    result.status === 'rejected'
      ? `error ${(result.reason as { code?: string }).code}: ${result.reason}`
      : result.value,
  );

let count = 0;
const next = (): string => `${(count += 1)}`;

const person = async () => (await createPerson(t.db, { name: 'x', email: `${next()}@x`, password_hash: '' })) as string;

const anOwner = async () => (await listMembers(t.db, t.workspaceId)).find(({ role }) => role === 'owner')?.id ?? '';

const newMedia = (changes: Partial<NewMedia> = {}): NewMedia => ({
  workspace_id: t.workspaceId,
  id: randomUUIDv7(),
  filename: 'x',
  type: 'image',
  mime_type: 'image/png',
  size: 1,
  sha256: next(),
  creator_id: null,
  category_id: null,
  ...changes,
});
const add = (media: NewMedia, db: Catalog = t.db) => addMedia(db, media, () => Promise.resolve());
const kindOf = (results: unknown[]) =>
  results.map((result) => String((result as { kind?: string }).kind ?? result)).toSorted();

/** What two at once do, and what must be true afterwards. */
const races: Record<string, () => Promise<void>> = {
  async 'two owners demote themselves: one stays'() {
    const [first, second] = [await person(), await person()];
    const inviter = await anOwner();
    for (const member of [first, second]) {
      const { token = '' } = (await createInvitation(t.db, t.workspaceId, inviter, 'owner')) ?? {};
      await acceptInvitation(t.db, token, { personId: member });
    }
    for (const { id } of await listMembers(t.db, t.workspaceId)) {
      if (id !== first && id !== second) await removeMember(t.db, t.workspaceId, id, null);
    }
    await atOnce(
      changeRole(t.db, t.workspaceId, first, 'member'),
      changeRole(t.db, t.workspaceId, second, 'member'),
      removeMember(t.db, t.workspaceId, first, null),
    );
    const owners = (await listMembers(t.db, t.workspaceId)).filter(({ role }) => role === 'owner');
    expect(owners.length).toBeGreaterThan(0);
  },
  async 'an invitation is accepted once'() {
    const { token = '' } = (await createInvitation(t.db, t.workspaceId, await anOwner(), 'member')) ?? {};
    const accept = () => acceptInvitation(t.db, token, { name: 'i', email: `${next()}@x`, password_hash: '' });
    expect((await atOnce(accept(), accept())).filter((result) => result === 'no invitation')).toHaveLength(1);
  },
  async 'a key is rotated once'() {
    await t.db.deleteFrom('api_keys').execute();
    const { id } = await issueApiKey(t.db, secrets, t.workspaceId);
    const rotate = () => rotateApiKey(t.db, secrets, t.workspaceId, id, 0, 'somebody');
    await atOnce(rotate(), rotate());
    const live = (await listApiKeys(t.db, t.workspaceId)).filter(({ revoked_at }) => revoked_at === null);
    expect(live).toHaveLength(1);
  },
  async 'an item has no label that is gone'() {
    const added = await add(newMedia());
    if (added.kind !== 'added') throw new Error('not added');
    const label = (await createLabel(t.db, 'creators', t.workspaceId, { name: next() }))?.id ?? '';
    const { id } = added.row;
    await atOnce(
      changeMedia(t.db, t.workspaceId, id, { creator_id: label }),
      deleteLabel(t.db, 'creators', t.workspaceId, label),
      add(newMedia({ creator_id: label })),
    );
    const { rows } = {
      rows: await t.db.selectFrom('media_items').select('id').where('creator_id', '=', label).execute(),
    };
    expect(await findLabel(t.db, 'creators', t.workspaceId, label)).toBeUndefined();
    expect(rows).toEqual([]);
    expect((await findStoredMedia(t.db, t.workspaceId, id))?.creator_id).toBeNull();
  },
  async 'the same bytes are one item'() {
    const media = newMedia();
    const added = await atOnce(
      add(media),
      add({ ...media, id: randomUUIDv7() }),
      add({ ...media, id: randomUUIDv7() }),
    );
    expect(kindOf(added)).toEqual(['added', 'duplicate', 'duplicate']);
  },
  async 'two uploads do not exceed a quota together'() {
    const { media_items } = await readMediaUsage(t.db, t.workspaceId);
    await savePlan(t.db, 'small', { media_items: media_items + 1 });
    await assignPlan(t.db, t.workspaceId, 'small');
    const added = await atOnce(add(newMedia()), add(newMedia()), add(newMedia()));
    await assignPlan(t.db, t.workspaceId, 'self-hosted');
    expect(kindOf(added)).toEqual(['added', 'excess', 'excess']);
  },
  async 'a name is given once'() {
    const name = next();
    const [a, b] = [next(), next()];
    const labels = [
      await createLabel(t.db, 'categories', t.workspaceId, { name: a, description: '' }),
      await createLabel(t.db, 'categories', t.workspaceId, { name: b, description: '' }),
    ];
    const search = { name, page: 'library', parameters: {} } as never;
    const pairs = [
      await atOnce(createGroup(t.db, 'tags', t.workspaceId, name), createGroup(t.db, 'tags', t.workspaceId, name)),
      await atOnce(createSavedSearch(t.db, t.workspaceId, search), createSavedSearch(t.db, t.workspaceId, search)),
      await atOnce(...labels.map((label) => updateLabel(t.db, 'categories', t.workspaceId, label?.id ?? '', { name }))),
      await atOnce(
        createLabel(t.db, 'creators', t.workspaceId, { name }),
        createLabel(t.db, 'creators', t.workspaceId, { name }),
      ),
    ];
    for (const results of pairs) {
      expect(results.filter((result) => typeof result === 'object')).toHaveLength(1);
      expect(results.join(' ')).not.toMatch(/error/);
    }
  },
  async 'an address belongs to one person'() {
    const members = [await addMember(t, `${next()}@x`), await addMember(t, `${next()}@x`)];
    const email = `${next()}@x`;
    const results = await atOnce(
      ...members.map(({ person: personId }) =>
        updatePerson(t.db, { workspaceId: t.workspaceId, personId }, { email }, ''),
      ),
      createPerson(t.db, { name: 'x', email, password_hash: '' }),
    );
    expect(results.join(' ')).not.toMatch(/error/);
    expect(results.filter((result) => result === false || result === undefined)).toHaveLength(2);
  },
  async 'an item is in no collection that is gone'() {
    const added = await add(newMedia());
    if (added.kind !== 'added') throw new Error('not added');
    const collection = await createGroup(t.db, 'collections', t.workspaceId, next());
    if (typeof collection !== 'object') throw new Error('no collection');
    const results = await atOnce(
      changeMembers(t.db, 'collections', t.workspaceId, collection.id, { add: [added.row.id] }),
      deleteGroup(t.db, 'collections', t.workspaceId, collection.id),
      deleteMedia(t.db, t.workspaceId, added.row.id),
    );
    expect(results.join(' ')).not.toMatch(/error/);
    expect(await findGroup(t.db, 'collections', t.workspaceId, collection.id)).toBeUndefined();
  },
  async 'a response is stored once for a key'() {
    const claim = { key: next(), operation: 'o', fingerprint: 'f' };
    const store = () => storeResponse(t.db, t.workspaceId, claim, {} as never);
    expect(await atOnce(store(), store())).toEqual([undefined, undefined]);
  },
  async 'trash, restore and deletion of the same items'() {
    const items: string[] = [];
    for (let i = 0; i < 3; i++) {
      const added = await add(newMedia());
      if (added.kind === 'added') items.push(added.row.id);
    }
    const results = await atOnce(
      moveToTrash(t.db, t.workspaceId, items),
      restoreFromTrash(t.db, t.workspaceId, items.toReversed()),
      moveToTrash(t.db, t.workspaceId, items.toReversed()),
      deleteMedia(t.db, t.workspaceId, items[1] ?? ''),
    );
    expect(results.join(' ')).not.toMatch(/error/);
  },
};

test.for(Object.entries(races))('%s', async ([, race], context) => {
  context.skip(!testDatabaseUrl, needsServer);
  for (let round = 0; round < rounds; round++) await race();
  expect(await findWrongTotals(t.db)).toEqual([]);
});

test('who follows the log of events misses none that began before another and was committed after it', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  const { id: workspaceId } = await t.addWorkspace('Events');
  const record = (db: Catalog, name: string) =>
    recordEvent(db, workspaceId, 'search.saved_match', {
      saved_search: { id: next(), name },
      media: { id: next(), filename: 'x', type: 'image' },
      hits: [],
    });
  const read = async (after: number) =>
    (await listEventsAfter(t.db, workspaceId, after, 10)).map(({ number, data }) => ({
      number,
      name: 'saved_search' in data ? data.saved_search.name : '',
    }));
  let seen = 0;
  await t.db.transaction().execute(async (slow) => {
    await record(slow, 'slow');
    await record(t.db, 'quick');
    const [quick, ...more] = await read(0);
    expect([quick?.name, ...more]).toEqual(['quick']);
    seen = quick?.number ?? 0;
  });
  expect((await read(seen)).map(({ name }) => name)).toEqual(['slow']);
});
