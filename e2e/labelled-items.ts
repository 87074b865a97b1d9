import { plain } from '../packages/media/samples/draw-media.ts';
import type { test } from './service.ts';

export type Service = Parameters<Parameters<typeof test>[2]>[0]['service'];

/** A photograph with one label of each kind, another without, and a video. */
export async function fillLabels(service: Service) {
  const { client } = service;
  const owner = await service.signIn();
  const create = async (path: string, name: string) => (await client.post<{ id: string }>(path, { name })).data.id;
  const creator = await create('/creators', 'Ana Lima');
  const category = (await owner.post<{ id: string }>('/manage/categories', { name: 'Interviews' })).data.id;
  const tag = await create('/tags', 'Sunset');
  const collection = await create('/collections', 'Trip to Lisbon');
  const { id } = await service.addPhoto('harbour.png', plain(60, 90, 200));
  await service.addPhoto('hill.png', plain(40, 150, 40));
  await client.patch(`/media/${id}`, { creator_id: creator, category_id: category, rating: 5 });
  await client.post(`/tags/${tag}/items`, { add: [id] });
  await client.post(`/collections/${collection}/items`, { add: [id] });
  return { creator, category, tag, collection, id };
}
