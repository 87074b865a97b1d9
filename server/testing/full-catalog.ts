import type { Catalog } from '../catalog/schema.ts';
import { readLayout, type Row, type Value, writeRows } from '../operations/transfer/rows.ts';
import { movedTables } from '../operations/transfer/tables.ts';

/** How often a table has rows: once, for each workspace, for each of its items. */
const scopes: Partial<Record<string, 'once' | 'workspace'>> = {
  service_settings: 'once',
  plans: 'once',
  embedders: 'once',
  people: 'once',
  workspaces: 'workspace',
  memberships: 'workspace',
  sessions: 'workspace',
  sign_in_links: 'workspace',
  api_keys: 'workspace',
  invitations: 'workspace',
  creators: 'workspace',
  categories: 'workspace',
  collections: 'workspace',
  tags: 'workspace',
  saved_searches: 'workspace',
  webhooks: 'workspace',
  webhook_deliveries: 'workspace',
  idempotency_keys: 'workspace',
  usage_days: 'workspace',
  job_turns: 'workspace',
  media_changes: 'workspace',
  sources: 'workspace',
  copy_searches: 'workspace',
};

const pad = (number: number): string => String(number).padStart(12, '0');

/** Values that something depends on; all others say where they are. */
function valuesOf(workspace: number, item: number, number: number): Record<string, Value> {
  const w = `00000000-0000-7000-8000-${pad(workspace)}`;
  return {
    workspace_id: w,
    person_id: 'people.id',
    invited_by: 'people.id',
    plan_id: 'plans.id',
    embedder_id: 'test@1',
    collection_id: `collections.id ${workspace}`,
    tag_id: `tags.id ${workspace}`,
    saved_search_id: `saved_searches.id ${workspace}`,
    webhook_id: `webhooks.id ${workspace}`,
    'webhook_deliveries.status': 'pending',
    creator_id: `creators.id ${workspace}`,
    category_id: `categories.id ${workspace}`,
    media_id: `${w}-${pad(item)}`,
    'workspaces.id': w,
    'media_items.id': `${w}-${pad(item)}`,
    'people.id': 'people.id',
    'plans.id': 'plans.id',
    'embedders.id': 'test@1',
    status: item % 5 === 0 ? 'pending' : 'complete',
    type: item % 2 === 0 ? 'video' : 'image',
    trashed_at: item % 7 === 0 ? '2026-11-01T00:00:00.000Z' : null,
    taken_at: '2026-07-14T19:12:08.000Z',
    taken_zone: '+02:00',
    number,
    chunk_number: number,
    segment_number: number,
    position: 0,
    change_id: `media_changes.id ${workspace}`,
    share_id: `shares.id ${workspace} ${item}`,
    'media_change_items.position': number,
    chunk_count: 1,
    duration: item + 0.123456,
    kind: 'index',
    'sources.kind': 'folder',
    other_id: `${w}-${pad(item)}`,
    source_id: `sources.id ${workspace}`,
    'media_items.source_id': item % 3 === 0 ? `sources.id ${workspace}` : null,
    source: 'speech',
    vector: new Float32Array([Math.sin(number), Math.cos(number), 0, 1 / 3]),
  };
}

/**
 * Fills an empty catalog of either dialect with rows in every table, each column with another value, in two workspaces.
 * @param items of each workspace
 * @param suffix of texts that nothing depends on
 */
export async function fillCatalog(db: Catalog, { items, suffix = '' }: { items: number; suffix?: string }) {
  const types = new Map<string, string>();
  for (const { name, columns } of await db.introspection.getTables())
    for (const column of columns) types.set(`${name}.${column.name}`, column.dataType.toLowerCase());
  for (const layout of await readLayout(db, movedTables)) {
    const rowOf = (workspace: number, item: number): Row => {
      const number = workspace * items + item + 1;
      const known = valuesOf(workspace, item, number);
      return Object.fromEntries(
        layout.columns.map((column) => {
          const place = `${layout.name}.${column}`;
          const value = known[place] ?? known[column];
          return [
            column,
            value !== undefined
              ? value
              : madeUp(
                  types.get(place) ?? 'text',
                  `${place} ${workspace}${scopes[layout.name] ? '' : ` ${item}`}`,
                  layout.key.includes(column) || column === 'id' ? '' : suffix,
                  number,
                ),
          ];
        }),
      );
    };
    const scope = scopes[layout.name];
    const rows =
      scope === 'once'
        ? [rowOf(0, 0)]
        : [0, 1].flatMap((workspace) =>
            Array.from({ length: scope === 'workspace' ? 1 : items }, (_, item) => rowOf(workspace, item)),
          );
    await db.transaction().execute((transaction) => writeRows(transaction, layout, rows));
  }
}

function madeUp(type: string, place: string, suffix: string, number: number): Value {
  if (/int/.test(type)) return (number % 1000) + 2;
  if (/real|double|float/.test(type)) return number + 1 / 3;
  if (/blob|bytea/.test(type)) return new Uint8Array([0, 255, number % 256, place.length]);
  return place + suffix;
}
