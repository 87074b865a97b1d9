import type { Ask } from './ask-for-groups.ts';

/** A request for a comment that carries an `Idempotency-Key`. */
const commentAs = (key: string) => ({ json: { text: 'Cut here.' }, headers: { 'Idempotency-Key': key } });

/** Provokes what the operations on comments and reviews answer. @param item an item that is no video */
export async function askForComments(ask: Ask, item: string): Promise<void> {
  const comment = await ask('createComment', { id: item, ...commentAs('comment') });
  await ask('createComment', { id: item, ...commentAs('comment'), json: { text: 'Cut there.' } }, 422);
  await ask('createComment', { id: item, json: { text: 'Cut here.', start: 1 } }, 400);
  // A program with the key, without the session.
  const program = { cookie: '' };
  const other = await ask('createComment', { id: item, json: { text: 'Cut there.' }, headers: program });
  await ask('updateComment', { id: other.id, json: { text: 'Cut.' } }, 403);
  await ask('deleteComment', { id: comment.id, headers: program }, 403);
  for (const operation of ['getComment', 'updateComment', 'deleteComment'] as const) {
    await ask(operation, { id: comment.id, ...(operation === 'updateComment' ? { json: { resolved: true } } : {}) });
  }
  await ask('listComments', { id: item });
  await ask('reviewMedia', { id: item, json: { state: 'approved' } });
}
