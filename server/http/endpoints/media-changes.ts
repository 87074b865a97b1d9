import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import type { MediaChange } from '../../../contract/media-changes.ts';
import { operations } from '../../../contract/operations.ts';
import { addChange, addUndo, cancelChange } from '../../catalog/changes/change-jobs.ts';
import { canUndo, type ChangeRow, findChange } from '../../catalog/changes/change-rows.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** A change as the API shows it. */
export async function toChange(db: Catalog, row: ChangeRow): Promise<MediaChange> {
  const { id, state, total, done, skipped, failed, undoes, created_at, ended_at } = row;
  return {
    id,
    state,
    total,
    done,
    skipped,
    failed,
    undoes,
    can_undo: await canUndo(db, row),
    created_at,
    ended_at,
  };
}

export const tooManyError = (): ApiError =>
  new ApiError('throttled', 'This workspace has as many changes under way as it may have: try again in 5 seconds.', {
    headers: { 'Retry-After': '5' },
  });

const unknownError = (places: string[]): ApiError =>
  validationError(
    places.map((place) => ({
      path: `body.change.${place}`,
      message: `names no ${place.replaceAll(/^add_|_ids?(?:\.\d+)?$/g, '')} of this workspace`,
    })),
  );

/** The operations on changes of many items. */
export function serveMediaChanges(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, changes } = dependencies;

  /** A change as it is now. */
  async function show(workspaceId: string, id: string): Promise<MediaChange> {
    const row = await findChange(db, { workspace_id: workspaceId, id });
    if (!row) throw notFoundError('change');
    return toChange(db, row);
  }

  serveOperation(app, operations.changeMedia, async (input) => {
    const { data, status } = await createOnce(dependencies, operations.changeMedia, input, async (transaction) => {
      const added = await addChange(transaction, input.workspaceId, input.body);
      if (!('refused' in added)) return toChange(transaction, added);
      throw added.refused === 'unknown' ? unknownError(added.places) : tooManyError();
    });
    if (data.state === 'running') await changes.begin(data.id);
    return { data: await show(input.workspaceId, data.id), ...(status === undefined ? {} : { status }) };
  });

  serveOperation(app, operations.getMediaChange, async ({ workspaceId, params }) => ({
    data: await show(workspaceId, params.id),
  }));

  serveOperation(app, operations.cancelMediaChange, async ({ workspaceId, params }) => {
    const row = await cancelChange(db, { workspace_id: workspaceId, id: params.id });
    if (!row) throw notFoundError('change');
    changes.check(params.id);
    return { data: await toChange(db, row) };
  });

  serveOperation(app, operations.undoMediaChange, async ({ workspaceId, params, reply }) => {
    const undo = await addUndo(db, { workspace_id: workspaceId, id: params.id });
    if (!undo) throw notFoundError('change');
    if (undo === 'too many') throw tooManyError();
    if (undo === 'not now')
      throw new ApiError(
        'not_ready',
        'Only a change that has ended, changed something and was not undone can be undone.',
      );
    if (undo.state === 'running') await changes.begin(undo.id);
    void reply.header('Location', `${basePath}/changes/${undo.id}`);
    return { data: await show(workspaceId, undo.id) };
  });
}
