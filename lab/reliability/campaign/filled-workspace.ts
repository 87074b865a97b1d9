import path from 'node:path';
import { checkers, makePhoto, makeVideo, type Paint } from '../../../packages/media/samples/draw-media.ts';
import { createTestBrowser, createTestClient, type TestBrowser } from '../../../server/testing/running-service.ts';
import { adminOutput, createWorkspaceKey } from './service-process.ts';

/** A workspace with one resource of every kind, all named by a word that is unique to it. */
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
type Kind =
  | 'item'
  | 'photo'
  | 'chunk'
  | 'creator'
  | 'category'
  | 'collection'
  | 'tag'
  | 'saved search'
  | 'share'
  | 'key'
  | 'person'
  | 'invitation'
  | 'workspace';

/** The service, and a folder for the files that are uploaded. */
type ServiceLocation = { url: string; dataDirectory: string; folder: string };

/** Creates a workspace with a film, a photo, labels, a saved search, a public link, two people, a key and an invitation. */
export async function createFilledWorkspace(
  location: ServiceLocation,
  name: string,
  word: string,
  paint: Paint,
): Promise<FilledWorkspace> {
  const key = await createWorkspaceKey(location.dataDirectory, name);
  const people = await addPeople(location, name, word);
  const { owner, member } = people;
  const keys = await owner.get<{ id: string }[]>('/manage/api-keys');
  const media = await addMedia(location, { word, paint, key, owner });
  return {
    word,
    id: people.workspace,
    key,
    owner,
    member,
    identifiers: {
      ...media.identifiers,
      key: keys.data[0]?.id ?? '',
      person: people.person,
      invitation: people.invitation,
      workspace: people.workspace,
    },
    sha256: media.sha256 ?? '',
    files: media.files,
  };
}

/** Signs in the owner, lets a member join, and leaves one invitation open. */
async function addPeople({ url, dataDirectory }: ServiceLocation, name: string, word: string) {
  const owner = createTestBrowser(url);
  const link = new URL(await adminOutput(dataDirectory, 'sign-in-link', name));
  const session = await owner.post<{ workspace: { id: string }; person: { id: string } }>('/auth/sign-in', {
    token: link.searchParams.get('token'),
  });
  await owner.patch('/auth/profile', { name: `Owner ${word}`, email: `owner@${word}.example` });
  const member = createTestBrowser(url);
  const accepted = await owner.post<{ url: string }>('/manage/invitations', { role: 'member' });
  await member.post('/auth/join', {
    token: new URL(accepted.data.url).searchParams.get('token'),
    name: `Member ${word}`,
    email: `member@${word}.example`,
    password: 'correct horse battery',
  });
  const open = await owner.post<{ id: string }>('/manage/invitations', { role: 'member' });
  return {
    owner,
    member,
    workspace: session.data.workspace.id,
    person: session.data.person.id,
    invitation: open.data.id,
  };
}

type MediaOptions = { word: string; paint: Paint; key: string; owner: TestBrowser };

/** Uploads a film, filed under a new creator and a new category, and a photo. Waits until both are indexed. */
async function addMedia({ url, folder }: ServiceLocation, { word, paint, key, owner }: MediaOptions) {
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
  const created = async (path: string, body: object) => (await client.post<{ id: string }>(path, body)).data.id;
  const more = {
    collection: await created('/collections', { name: `Collection ${word}` }),
    tag: await created('/tags', { name: `Tag ${word}` }),
    'saved search': await created('/saved-searches', {
      name: `Saved ${word}`,
      page: 'search',
      parameters: { q: word },
    }),
    share: await created('/shares', { media_id: photoItem.id, title: `Shared ${word}` }),
  };
  for (const groups of [`/collections/${more.collection}`, `/tags/${more.tag}`]) {
    await client.post(`${groups}/items`, { add: [item.id] });
  }
  return {
    identifiers: { item: item.id, photo: photoItem.id, chunk: chunks.data[0]?.id ?? '', creator, category, ...more },
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
    await client.get('/collections'),
    await client.get('/tags'),
    await client.get('/saved-searches'),
    await client.get('/shares'),
    await client.get('/trash'),
    await owner.get('/manage/members'),
    await owner.get('/manage/invitations'),
    await owner.get('/auth/session'),
  ];
  return JSON.stringify(parts.map(({ data }) => data));
}
