import { type RawBuilder, sql } from 'kysely';

/** The names of the columns that `rowsIn` selects, in their order: for `insert into table (…)` and `with table (…) as`. */
export const columnNames = (columns: object): RawBuilder<unknown> =>
  sql.join(Object.keys(columns).map((column) => sql.ref(column)));
