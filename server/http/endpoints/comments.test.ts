import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Comment } from '../../../contract/comments.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { listEventsAfter } from '../../catalog/events/events.ts';
import { addMember } from '../../testing/add-member.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let video: MediaItem;
let photo: MediaItem;
let owner: { cookie: string; id: string };
let member: { cookie: string; id: string };

beforeAll(async () => {
  service = await startTestService();
  const { client, folder, db, workspaceId } = service;
  const film = path.join(folder, 'harbour.mp4');
  await makeVideo(film, { scenes: [{ paint: plain(200, 20, 20), seconds: 2 }] });
  const picture = path.join(folder, 'beach.png');
  await makePhoto(picture, plain(20, 160, 40));
  video = await client.waitUntilIndexed((await client.upload(film)).data.id);
  photo = await client.waitUntilIndexed((await client.upload(picture)).data.id);
  const signedIn = await service.signIn();
  owner = {
    cookie: signedIn.cookie(),
    id: (await signedIn.get<{ id: string }[]>('/manage/members')).data[0]?.id ?? '',
  };
  const added = await addMember({ db, workspaceId }, 'bo@example.org');
  member = { cookie: added.cookie, id: added.person };
});

afterAll(() => service[Symbol.asyncDispose]());

const as = ({ cookie }: { cookie: string }) => ({ Cookie: cookie });

async function comment(media: MediaItem, body: object, sender?: { cookie: string }): Promise<Comment> {
  const answer = await service.client.post<Comment>(`/media/${media.id}/comments`, body, sender ? as(sender) : {});
  expect(answer.status, JSON.stringify(answer.error)).toBe(201);
  return answer.data;
}

const call = (method: string, address: string, body?: object, sender?: { cookie: string }) =>
  service.client.call<Comment>(address, {
    method,
    headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...(sender ? as(sender) : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

const read = async (media: MediaItem) => (await service.client.get<MediaItem>(`/media/${media.id}`)).data;

test('comments stand at a moment, a span and a point, with replies, and an item counts them', async () => {
  const whole = await comment(video, { text: ' <b>Good</b> \n https://example.org ' }, owner);
  expect(whole).toMatchObject({
    text: '<b>Good</b> \n https://example.org',
    author: { kind: 'member', id: owner.id, name: 'Owner' },
    start: null,
    point: null,
    resolved: null,
  });
  const moment = await comment(video, { text: 'Here', start: 0.5, point: { x: 0.25, y: 1 } }, member);
  const span = await comment(video, { text: 'There', start: 0.5, end: 1.5 });
  expect(span.author.kind).toBe('key');
  const reply = await comment(video, { text: 'Yes', parent_id: moment.id }, owner);
  expect(reply.parent_id).toBe(moment.id);
  const listed = await service.client.get<Comment[]>(`/media/${video.id}/comments?per_page=3`);
  expect(listed.data.map(({ id }) => id)).toEqual([whole.id, moment.id, span.id]);
  expect(listed.meta).toMatchObject({ total: 4, has_more: true });
  expect((await read(video)).comments).toEqual({ total: 4, open: 3 });

  const resolved = await call('PATCH', `/comments/${moment.id}`, { resolved: true }, owner);
  expect(resolved.data.resolved).toMatchObject({ by: 'Owner' });
  expect((await read(video)).comments).toEqual({ total: 4, open: 2 });
  expect((await call('PATCH', `/comments/${moment.id}`, { resolved: false })).data.resolved).toBeNull();
  expect((await call('DELETE', `/comments/${moment.id}`, undefined, member)).status).toBe(200);
  // With its reply.
  expect((await read(video)).comments).toEqual({ total: 2, open: 2 });
  expect((await call('GET', `/comments/${reply.id}`)).status).toBe(404);
});

test.each<[what: string, of: 'photo' | 'video', body: object]>([
  ['a moment of a photograph', 'photo', { text: 'x', start: 0 }],
  ['a moment behind the end', 'video', { text: 'x', start: 60 }],
  ['a span that ends behind the end', 'video', { text: 'x', start: 0, end: 60 }],
  ['a span that ends before it begins', 'video', { text: 'x', start: 1, end: 0.5 }],
  ['an end without a start', 'video', { text: 'x', end: 1 }],
  ['a point beside the picture', 'photo', { text: 'x', point: { x: 1.1, y: 0 } }],
  ['no text', 'photo', { text: '  ' }],
  ['too much text', 'photo', { text: 'x'.repeat(4001) }],
  ['a reply to nothing', 'photo', { text: 'x', parent_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85' }],
])('%s is refused', async (_, of, body) => {
  const media = of === 'photo' ? photo : video;
  const answer = await service.client.post(`/media/${media.id}/comments`, body);
  expect([answer.status, answer.error.code]).toEqual([400, 'validation_error']);
});

test('a reply has no replies, and stands on the item of its comment', async () => {
  const { client } = service;
  const parent = await comment(photo, { text: 'Parent' });
  const reply = await comment(photo, { text: 'Reply', parent_id: parent.id });
  for (const [media, parent_id] of [
    [photo, reply.id],
    [video, parent.id],
  ] as const) {
    expect((await client.post(`/media/${media.id}/comments`, { text: 'x', parent_id })).status).toBe(400);
  }
  expect((await call('PATCH', `/comments/${reply.id}`, { resolved: true })).status).toBe(400);
});

test('only its author changes a comment; its author and owners delete it', async () => {
  const ofOwner = await comment(photo, { text: 'Of the owner' }, owner);
  const ofMember = await comment(photo, { text: 'Of the member' }, member);
  const ofKey = await comment(photo, { text: 'Of a program' });
  for (const [{ id }, sender] of [
    [ofOwner, member],
    [ofMember, owner],
    [ofKey, member],
    [ofMember, undefined],
  ] as const) {
    expect((await call('PATCH', `/comments/${id}`, { text: 'Changed' }, sender)).error.code).toBe('forbidden');
  }
  for (const [{ id }, sender] of [
    [ofOwner, member],
    [ofOwner, undefined],
    [ofKey, member],
  ] as const) {
    expect((await call('DELETE', `/comments/${id}`, undefined, sender)).error.code).toBe('forbidden');
  }
  const changed = await call('PATCH', `/comments/${ofMember.id}`, { text: 'Changed' }, member);
  expect(changed.data).toMatchObject({ text: 'Changed', resolved: null });
  expect(changed.data.edited_at).not.toBeNull();
  expect((await call('PATCH', `/comments/${ofKey.id}`, { text: 'Changed' })).data.text).toBe('Changed');
  expect((await call('DELETE', `/comments/${ofMember.id}`, undefined, owner)).status).toBe(200);
  expect((await call('DELETE', `/comments/${ofKey.id}`)).status).toBe(200);
  expect((await call('DELETE', `/comments/${ofOwner.id}`, undefined, owner)).status).toBe(200);
});

test('who is mentioned is told until they saw it; strangers cannot be mentioned', async () => {
  const other = await addMember(
    { ...service, workspaceId: (await service.addWorkspace('Others')).id },
    'cy@example.org',
  );
  const asked = async ({ cookie }: { cookie: string }, address: string, init: RequestInit = {}) => {
    const answer = await fetch(`${service.url}${address}`, {
      ...init,
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
    });
    return (await answer.json()) as { data: { comment: Comment; media: { filename: string } }[] & { seen: number } };
  };
  const mentions = [member.id, owner.id, other.person];
  const made = await comment(video, { text: '@Member look', start: 1, mentions }, owner);
  expect(made.mentions.map(({ id }) => id).sort()).toEqual([member.id, owner.id].sort());
  const unseen = await asked(member, '/manage/mentions');
  expect(unseen.data).toMatchObject([{ comment: { id: made.id, start: 1 }, media: { filename: 'harbour.mp4' } }]);
  // Oneself needs not be told, and a stranger learns nothing.
  expect((await asked(owner, '/manage/mentions')).data).toEqual([]);
  expect((await asked(other, '/manage/mentions')).data).toEqual([]);
  await service.client.post('/trash', { ids: [video.id] });
  expect((await asked(member, '/manage/mentions')).data).toEqual([]);
  await service.client.post('/trash/restore', { ids: [video.id] });
  const body = JSON.stringify({ media_id: video.id });
  expect((await asked(owner, '/manage/mentions/seen', { method: 'POST', body })).data.seen).toBe(0);
  expect((await asked(member, '/manage/mentions/seen', { method: 'POST', body })).data.seen).toBe(1);
  // Changing the text tells nobody again who saw it.
  await call('PATCH', `/comments/${made.id}`, { text: '@Member look again', mentions }, owner);
  expect((await asked(member, '/manage/mentions')).data).toEqual([]);
});

test('a review is a field of the item, a filter of lists, and an event', async () => {
  const { client, db, workspaceId } = service;
  expect(photo.review).toEqual({ state: 'none', by: null, at: null });
  const review = (state: string, sender?: { cookie: string }) =>
    client.post<MediaItem['review']>(`/media/${photo.id}/review`, { state }, sender ? as(sender) : {});
  expect((await review('approved', owner)).data).toMatchObject({ state: 'approved', by: 'Owner' });
  expect((await read(photo)).review).toMatchObject({ state: 'approved', by: 'Owner' });
  const listed = async (state: string) =>
    (await client.get<MediaItem[]>(`/media?review=${state}`)).data.map(({ id }) => id);
  expect(await listed('approved')).toEqual([photo.id]);
  expect(await listed('none')).toEqual([video.id]);
  await expect
    .poll(async () => (await client.search('green', '&review=approved')).data.map(({ id }) => id), { timeout: 10_000 })
    .toEqual([photo.id]);
  // The same again is no event.
  await review('approved', member);
  expect((await review('none')).data).toEqual({ state: 'none', by: null, at: null });
  expect((await review('maybe')).status).toBe(400);
  const events = (await listEventsAfter(db, workspaceId, 0, 1000)).filter(({ type }) => type === 'media.reviewed');
  expect(events.map(({ data }) => 'review' in data && data.review.state)).toEqual(['approved', 'none']);
});

test('comments are events, stay in the trash, and go with their item', async () => {
  const { client, db, folder, workspaceId } = service;
  const file = path.join(folder, 'short-lived.png');
  await makePhoto(file, plain(1, 2, 3));
  const item = await client.waitUntilIndexed((await client.upload(file)).data.id);
  const made = await comment(item, { text: 'Soon gone', mentions: [member.id] }, owner);
  await call('PATCH', `/comments/${made.id}`, { resolved: true });
  const second = await comment(item, { text: 'Sooner gone' });
  await call('DELETE', `/comments/${second.id}`);
  const events = (await listEventsAfter(db, workspaceId, 0, 1000)).filter(
    ({ data }) => 'media' in data && data.media.id === item.id,
  );
  expect(events.map(({ type }) => type).filter((type) => type.startsWith('comment.'))).toEqual([
    'comment.created',
    'comment.updated',
    'comment.created',
    'comment.deleted',
  ]);
  await client.post('/trash', { ids: [item.id] });
  for (const [method, address] of [
    ['GET', `/media/${item.id}/comments`],
    ['GET', `/comments/${made.id}`],
    ['DELETE', `/comments/${made.id}`],
  ] as const) {
    expect((await call(method, address)).status).toBe(404);
  }
  await client.post('/trash/restore', { ids: [item.id] });
  expect((await call('GET', `/comments/${made.id}`)).data.resolved).not.toBeNull();
  await client.delete(`/media/${item.id}`);
  for (const table of ['comments', 'comment_mentions'] as const) {
    const rows = await db.selectFrom(table).select('media_id').where('media_id', '=', item.id).execute();
    expect(rows).toEqual([]);
  }
});

test('nothing of another workspace is commented, read or reviewed', async () => {
  const other = await service.addWorkspace('Strangers');
  const made = await comment(photo, { text: 'Private' });
  const answers = [
    await other.client.get(`/media/${photo.id}/comments`),
    await other.client.post(`/media/${photo.id}/comments`, { text: 'x' }),
    await other.client.post(`/media/${photo.id}/review`, { state: 'approved' }),
    await other.client.get(`/comments/${made.id}`),
    await other.client.patch(`/comments/${made.id}`, { resolved: true }),
    await other.client.delete(`/comments/${made.id}`),
    // A session of this workspace does not help with the key of another.
    await other.client.post(`/media/${photo.id}/comments`, { text: 'x' }, as(owner)),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  expect((await read(photo)).review.state).toBe('none');
});
