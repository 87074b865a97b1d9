import type { Catalog } from '../catalog/schema.ts';

/**
 * Counts what goes to the database. @returns a catalog that counts its statements and those of its transactions: all but what begins and ends a
 * transaction, and among them those that take the lock of a workspace
 */
export function countStatements(db: Catalog) {
  let statements = 0;
  let locks = 0;
  return {
    db: db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        if (node.kind === 'RawNode' && node.sqlFragments.some((part) => part.includes('pg_advisory_xact_lock(')))
          locks += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }),
    count: () => statements,
    countLocks: () => locks,
  };
}
