import { sql } from 'kysely';
import type { ListPlacesQuery } from '../../../contract/places.ts';
import type { Box } from '../../../contract/positions.ts';
import type { Catalog } from '../schema.ts';
import { inArea } from './area-filter.ts';
import { listConditions, notInTrash } from './media-filter.ts';
import type { MediaRow } from './media-items.ts';
import { standsBehind } from './stacks.ts';

/** Items that were recorded near each other. */
export type PlaceGroup = {
  latitude: number;
  longitude: number;
  count: number;
  box: Box;
  /** The item that was recorded last. */
  cover: MediaRow;
};

/** Pixels of a map: the side of a cell of the grid, and how near each other two groups are joined. */
const cell = 64;
const near = 44;
/** The side of the whole map at zoom 0, pixels. */
const world = 256;
/** What a square map of the world in Mercator's projection ends at, degrees. */
const lastLatitude = 85.0511;
/** Most groups that are told. */
const maxGroups = 1000;

type Row = Box & { latitude: number; longitude: number; count: number; cover: string };

/** The items of a filter that have a position: how many, and the box that holds them. */
export async function findLocated(
  db: Catalog,
  workspaceId: string,
  query: ListPlacesQuery,
): Promise<{ located: number; box: Box | null }> {
  const { rows } = await sql<{ located: number } & Record<keyof Box, number | null>>`
    select count(*) as located, ${bounds} from media_items where ${located(db, workspaceId, query)}`.execute(db);
  const [
    { located: count, south, west, north, east } = { located: 0, south: null, west: null, north: null, east: null },
  ] = rows;
  if (south === null || west === null || north === null || east === null) return { located: 0, box: null };
  return { located: count, box: { south, west, north, east } };
}

/**
 * Groups the items of a filter that have a position, for a map in Mercator's projection: by the cells of a grid, and then those whose middles are so near each other that
 * pictures of them would overlap. The largest first.
 */
export async function groupPlaces(db: Catalog, workspaceId: string, query: ListPlacesQuery): Promise<PlaceGroup[]> {
  const side = world * 2 ** query.zoom;
  const cells = sql.lit(side / cell);
  const latitude = sql`case when latitude > ${sql.lit(lastLatitude)} then ${sql.lit(lastLatitude)}
    when latitude < ${sql.lit(-lastLatitude)} then ${sql.lit(-lastLatitude)} else latitude end`;
  const view = query.view === undefined ? sql`1 = 1` : inArea('box', query.view);
  const { rows } = await sql<Row>`
    select avg(latitude) as latitude, avg(longitude) as longitude, count(*) as count, ${bounds},
      max(recorded || id) as cover
    from (
      select id, latitude, longitude, coalesce(taken_at, created_at) as recorded,
        floor((longitude + 180) / 360 * ${cells}) as cell_x,
        floor((1 - ln(tan(radians(45 + (${latitude}) / 2))) / pi()) / 2 * ${cells}) as cell_y
      from media_items where ${located(db, workspaceId, query)} and ${view}
    ) placed
    group by cell_x, cell_y order by count desc, cover desc limit ${sql.lit(maxGroups)}`.execute(db);
  const groups = joinNear(rows, side);
  const covers = await readCovers(
    db,
    workspaceId,
    groups.map(({ cover }) => idOf(cover)),
  );
  return groups.flatMap(({ latitude, longitude, count, cover, south, west, north, east }) => {
    const row = covers.get(idOf(cover));
    // It was deleted meanwhile.
    return row ? [{ latitude, longitude, count, box: { south, west, north, east }, cover: row }] : [];
  });
}

const bounds = sql`min(latitude) as south, min(longitude) as west, max(latitude) as north, max(longitude) as east`;

const located = (db: Catalog, workspaceId: string, query: ListPlacesQuery) =>
  sql.join(
    [
      sql`workspace_id = ${workspaceId}`,
      sql`latitude is not null and longitude is not null`,
      notInTrash,
      ...listConditions(db, workspaceId, query),
      sql`not ${standsBehind(db, workspaceId, query)}`,
    ],
    sql` and `,
  );

/** A time and an identifier in one text, so that the greatest is the item that was recorded last. */
const idOf = (cover: string): string => cover.slice(-36);

/** Joins groups to larger ones that are near them on a map whose side is so many pixels. */
function joinNear(rows: Row[], side: number): Row[] {
  const joined: (Row & { x: number; y: number })[] = [];
  for (const row of rows) {
    const x = ((row.longitude + 180) / 360) * side;
    const phi = (Math.max(-lastLatitude, Math.min(lastLatitude, row.latitude)) * Math.PI) / 180;
    const y = ((1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2) * side;
    const into = joined.find((other) => Math.hypot(other.x - x, other.y - y) < near);
    if (into) Object.assign(into, add(into, row));
    else joined.push({ ...row, x, y });
  }
  return joined;
}

/** Two groups as one. */
function add(a: Row, b: Row): Row {
  const count = a.count + b.count;
  const mean = (of: 'latitude' | 'longitude') => (a[of] * a.count + b[of] * b.count) / count;
  return {
    latitude: mean('latitude'),
    longitude: mean('longitude'),
    count,
    south: Math.min(a.south, b.south),
    west: Math.min(a.west, b.west),
    north: Math.max(a.north, b.north),
    east: Math.max(a.east, b.east),
    cover: a.cover > b.cover ? a.cover : b.cover,
  };
}

async function readCovers(db: Catalog, workspaceId: string, ids: string[]): Promise<Map<string, MediaRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
