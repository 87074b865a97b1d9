import path from 'node:path';
import { checkers, makePhoto, makeVideo, type Paint } from '../../server/samples/draw-media.ts';
import { createTestBrowser, createTestClient, type TestBrowser } from '../../server/testing/running-service.ts';
import { adminOutput } from './service-process.ts';

/** A workspace with something of every kind, all named by a word that no other uses. */
export type FilledWorkspace = {
  word: string;
  id: string;
  key: string;
  owner: TestBrowser;
  member: TestBrowser;
  identifiers: Record<Kind, string>;
  sha256: string;
  files: string[];
};
type Kind = 'item' | 'photo' | 'chunk' | 'creator' | 'category' | 'key' | 'person' | 'invitation' | 'workspace';

/** Where tenants are made: the service, and a folder for their files. */
type ServiceLocation = { url: string; dataDirectory: string; folder: string };

/** Makes a workspace with a film, a photo, a creator, a category, two people, a key and an invitation. */
export async function createFilledWorkspace(
  { url, dataDirectory, folder }: ServiceLocation,
  name: string,
  word: string,
  paint: Paint,
): Promise<FilledWorkspace> {
  const key =
    name === 'My workspace'
      ? await adminOutput(dataDirectory, 'key')
      : await adminOutput(dataDirectory, 'workspace', 'create', name);
  const owner = createTestBrowser(url);
  const link = new URL(await adminOutput(dataDirectory, 'sign-in-link', name));
  const session = await owner.post<{ workspace: { id: string }; person: { id: string } }>('/auth/sign-in', {
    token: link.searchParams.get('token'),
  });
  await owner.patch('/auth/profile', { name: `Owner ${word}`, email: `owner@${word}.example` });
  const member = createTestBrowser(url);
  const token = new URL(
    (await owner.post<{ url: string }>('/manage/invitations', { role: 'member' })).data.url,
  ).searchParams.get('token');
  await member.post('/auth/join', {
    token,
    name: `Member ${word}`,
    email: `member@${word}.example`,
    password: 'correct horse battery',
  });
  const invitation = await owner.post<{ id: string }>('/manage/invitations', { role: 'member' });
  const keys = await owner.get<{ id: string }[]>('/manage/api-keys');

  const client = createTestClient(url, key);
  const film = path.join(folder, `${word}.mkv`);
  const photo = path.join(folder, `${word}.png`);
  await makeVideo(film, {
    scenes: [
      { paint, seconds: 1 },
      { paint: checkers(0.2), seconds: 1 },
    ],
    subtitles: [{ start: 0, end: 2, text: `A talk about ${word}` }],
  });
  await makePhoto(photo, paint);
  const creator = (await client.post<{ id: string }>('/creators', { name: `Creator ${word}` })).data.id;
  const category = (await owner.post<{ id: string }>('/manage/categories', { name: `Category ${word}` })).data.id;
  const item = await client.waitUntilIndexed(
    (await client.upload(film, `${word}.mkv`, { creator_id: creator, category_id: category })).data.id,
  );
  const photoItem = await client.waitUntilIndexed((await client.upload(photo)).data.id);
  const chunks = await client.get<{ id: string }[]>(`/media/${item.id}/chunks`);
  return {
    word,
    id: session.data.workspace.id,
    key,
    owner,
    member,
    identifiers: {
      item: item.id,
      photo: photoItem.id,
      chunk: chunks.data[0]?.id ?? '',
      creator,
      category,
      key: keys.data[0]?.id ?? '',
      person: session.data.person.id,
      invitation: invitation.data.id,
      workspace: session.data.workspace.id,
    },
    sha256: item.sha256,
    files: [photo, film],
  };
}

/** All that a workspace shows of itself, to tell whether it was changed. */
export async function describeWorkspace(url: string, { key, owner }: FilledWorkspace): Promise<string> {
  const client = createTestClient(url, key);
  const parts = [
    await client.get('/media'),
    await client.get('/creators'),
    await client.get('/categories'),
    await owner.get('/manage/members'),
    await owner.get('/manage/invitations'),
    await owner.get('/auth/session'),
  ];
  return JSON.stringify(parts.map(({ data }) => data));
}
