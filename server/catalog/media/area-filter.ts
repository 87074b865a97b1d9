import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Operator } from '../../../contract/field-kinds.ts';
import { type Box, type Circle, haversineOf, parseBox, parseCircle } from '../../../contract/positions.ts';

/** The circle or the box that a filter names; none where its text is of neither, which the schema of the request refuses. */
export function toArea(operator: Operator, value: string): { near: Circle } | { box: Box } | null {
  const [near, box] = operator === 'near' ? [parseCircle(value), null] : [null, parseBox(value)];
  if (near) return { near };
  return box && { box };
}

const latitude = sql.ref<number>('media_items.latitude');
const longitude = sql.ref<number>('media_items.longitude');

/** Degrees of latitude in a kilometre, rounded up. */
const degreesPerKm = 0.009;

/** Whether an item was recorded in an area, as `isInCircle` and `isInBox` of the contract have it. An item without a position was not. */
export function inArea(operator: Operator, value: string): RawBuilder<SqlBool> {
  const area = toArea(operator, value);
  if (area === null) return sql`1 = 0`;
  return 'near' in area ? inCircle(area.near) : inBox(area.box);
}

function inCircle(circle: Circle): RawBuilder<SqlBool> {
  const north = sql`sin(radians(${latitude} - ${circle.latitude}) / 2)`;
  const east = sql`sin(radians(${longitude} - ${circle.longitude}) / 2)`;
  const cosine = Math.cos((circle.latitude * Math.PI) / 180);
  const reach = degreesPerKm * circle.km;
  // Most items are told by their latitude, without the functions.
  return sql`(${latitude} between ${circle.latitude - reach} and ${circle.latitude + reach}
    and ${north} * ${north} + cos(radians(${latitude})) * ${cosine} * ${east} * ${east} <= ${haversineOf(circle)})`;
}

function inBox({ south, west, north, east }: Box): RawBuilder<SqlBool> {
  const across =
    west <= east
      ? sql`${longitude} between ${west} and ${east}`
      : sql`(${longitude} >= ${west} or ${longitude} <= ${east})`;
  return sql`(${latitude} between ${south} and ${north} and ${across})`;
}
