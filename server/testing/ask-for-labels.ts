import type { Ask } from './ask-for-groups.ts';

/** Provokes what the operations of creators and categories answer. Gives one of each that is left; `ana` is the key that made the creator. */
export async function askForLabels(ask: Ask): Promise<{ creator: string; category: string }> {
  const creator = await ask('createCreator', { json: { name: 'Ana' }, headers: { 'Idempotency-Key': 'ana' } });
  await ask('getCreator', { id: creator.id });
  const category = await ask('createCategory', { json: { name: 'Talks' } });
  const second = await ask('createCategory', { json: { name: 'Walks' } });
  await ask('getCategory', { id: category.id });
  await ask('createCreator', { json: { name: 'Bo' } });
  await ask('createCreator', { json: { name: 'ANA' } }, 409);
  await ask('createCategory', { json: { name: 'TALKS' } }, 409);
  await ask('updateCategory', { id: second.id, json: { name: 'talks' } }, 409);
  await ask('renameCreator', { id: creator.id, json: { name: 'Bo' } }, 409);
  await ask('updateCategory', { id: second.id, json: { description: 'On foot.' } });
  await ask('renameCreator', { id: creator.id, json: { name: 'Anna' } });
  return { creator: creator.id, category: category.id };
}
