import type { MediaRow } from './media/media-items.ts';
import type { Catalog } from './schema.ts';

/** Rows read at once: few enough not to block the service. */
const pageSize = 500;

/** All items of all workspaces, in the order of their keys. Items that are added or deleted meanwhile may be missed. */
export async function* readAllMedia(db: Catalog): AsyncGenerator<MediaRow> {
  let [workspaceId, id] = ['', ''];
  for (;;) {
    const rows = await db
      .selectFrom('media_items')
      .selectAll()
      .where((e) => e(e.refTuple('workspace_id', 'id'), '>', e.tuple(workspaceId, id)))
      .orderBy('workspace_id')
      .orderBy('id')
      .limit(pageSize)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    [workspaceId, id] = [last.workspace_id, last.id];
  }
}
