import { sql } from 'kysely';
import type { MediaDetails } from '../../../contract/media-details.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { toDetailColumns } from './store-indexed-media.ts';

/** Items that are read and written at once. */
const batch = 500;

/** Gives a name to a position; null where it has none. */
type DescribePosition = (latitude: number, longitude: number) => string | null;

const written = {
  workspace_id: 'text',
  id: 'text',
  lens: 'text',
  codec: 'text',
  frame_rate: 'real',
  sound: 'text',
  place: 'text',
} as const;

/**
 * Fills what items of earlier releases lack: the columns of their details, and the name of the place where they have a position. Positions without a place near them are asked
 * for again by the next start.
 * @param describePosition names the nearest place
 * @returns how many items were filled
 */
export async function fillRecorded(
  db: Catalog,
  describePosition: DescribePosition,
  signal: AbortSignal,
): Promise<number> {
  let filled = 0;
  let last = { workspace_id: '', id: '' };
  for (;;) {
    signal.throwIfAborted();
    const items = await findUnfilled(db, last);
    const end = items.at(-1);
    if (!end) return filled;
    last = end;
    const rows = items.flatMap(({ workspace_id, id, details, sound, place, latitude, longitude }) => {
      const named = place ?? (latitude === null || longitude === null ? null : describePosition(latitude, longitude));
      if (sound !== null && named === null) return [];
      const columns = toDetailColumns(JSON.parse(details) as MediaDetails);
      return [{ workspace_id, id, ...columns, place: named }];
    });
    await store(db, rows);
    filled += rows.length;
  }
}

const findUnfilled = (db: Catalog, after: { workspace_id: string; id: string }) =>
  db
    .selectFrom('media_items')
    .select(['workspace_id', 'id', 'sound', 'place', 'latitude', 'longitude'])
    .select(sql<string>`details`.as('details'))
    .where(sql<boolean>`(workspace_id, id) > (${after.workspace_id}, ${after.id})`)
    .where('details', 'is not', null)
    .where((e) => e.or([e('sound', 'is', null), e.and([e('place', 'is', null), e('latitude', 'is not', null)])]))
    .orderBy('workspace_id')
    .orderBy('id')
    .limit(batch)
    .execute();

/** An item that was indexed again meanwhile has its columns, and keeps its place. */
async function store(db: Catalog, rows: Parameters<typeof listRows>[1]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with filled (${columnNames(written)}) as (${listRows(db, rows)})
    update media_items set lens = filled.lens, codec = filled.codec, frame_rate = filled.frame_rate, sound = filled.sound,
      place = coalesce(media_items.place, filled.place)
    from filled
    where media_items.workspace_id = filled.workspace_id and media_items.id = filled.id
      and (media_items.sound is null or (media_items.place is null and media_items.latitude is not null))`.execute(db);
}

const listRows = (
  db: Catalog,
  rows: (ReturnType<typeof toDetailColumns> & { workspace_id: string; id: string; place: string | null })[],
) => dialectOf(db).rowsIn(written, rows);
