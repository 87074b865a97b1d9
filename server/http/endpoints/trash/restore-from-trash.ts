import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { restoreFromTrash } from '../../../catalog/media/trash.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /trash/restore`. An older copy of the catalog, put back later, has the items in the trash still: it is not to be taken for this one. */
export function serveRestoreFromTrash(app: FastifyInstance, { db, noteHistory }: Dependencies): void {
  serveOperation(app, operations.restoreFromTrash, async ({ workspaceId, body }) => {
    const ids = await restoreFromTrash(db, workspaceId, body.ids);
    await noteHistory();
    return { data: { ids } };
  });
}
