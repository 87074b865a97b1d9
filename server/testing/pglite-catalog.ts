import { PGlite, types } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Kysely, PGliteDialect, type PGliteDriver } from 'kysely';
import { encodeArray, isBinaryArray } from '../catalog/dialect/binary-arrays.ts';
import { completeTransactions } from '../catalog/dialect/postgres.ts';
import { prepareSchema } from '../catalog/postgres/prepare-schema.ts';
import { writeChangedTexts } from '../catalog/postgres/write-texts.ts';
import type { Database } from '../catalog/schema.ts';

/**
 * An empty catalog in PostgreSQL inside of this process, which takes 4 s to start: for where no server is. It has one connection, so it shows
 * what PostgreSQL takes and answers, and nothing of what several processes do.
 * @param script statements that are run before the schema is brought up to date
 */
export async function openPGlite(script = '') {
  const pglite = await PGlite.create({
    extensions: { vector },
    parsers: { [types.INT8]: Number, [types.NUMERIC]: Number },
  });
  await pglite.exec(script);
  const db = new Kysely<Database>({ dialect: new OneAtATimeDialect({ pglite }) });
  await prepareSchema(db, true);
  await takeBinaryParameters(pglite);
  completeTransactions(db, writeChangedTexts);
  // No other connection can be made to it.
  return { db, location: { url: 'pglite:' }, [Symbol.asyncDispose]: () => db.destroy() };
}

/** Has PGlite take what the driver sends as it is, and what its pool encodes. */
async function takeBinaryParameters(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ type: number; element: number }>(
    `select oid::int4 as type, typelem::int4 as element from pg_type
    where oid in ('halfvec'::regtype, 'halfvec[]'::regtype, 'bytea[]'::regtype, 'bigint[]'::regtype)`,
  );
  for (const { type, element } of rows) {
    const other = pglite.serializers[type];
    pglite.serializers[type] = (value: unknown) => {
      const bytes = isBinaryArray(value) ? encodeArray(value, element) : value;
      // PGlite sends bytes as they are, though its types know only texts.
      return bytes instanceof Uint8Array ? (bytes as unknown as string) : (other?.(value) ?? String(value));
    };
  }
}

class OneAtATimeDialect extends PGliteDialect {
  /** Kysely's own driver lets statements run inside of the transactions of others. */
  override createDriver(): PGliteDriver {
    const driver = super.createDriver() as PGliteDriver;
    const acquire = driver.acquireConnection.bind(driver);
    let free: Promise<void> = Promise.resolve();
    let release = () => undefined as void;
    driver.acquireConnection = async () => {
      const before = free;
      const { promise, resolve } = Promise.withResolvers<void>();
      free = promise;
      await before;
      release = resolve;
      return acquire();
    };
    driver.releaseConnection = () => Promise.resolve(release());
    return driver;
  }
}
