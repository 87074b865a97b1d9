import type { Catalog } from '../catalog/schema.ts';

/**
 * Counts what goes to the database. @returns a catalog that counts the statements of its own and of its transactions, and how many there were. What
 * begins and ends a transaction is not among them.
 */
export function countStatements(db: Catalog): { db: Catalog; count: () => number } {
  let statements = 0;
  return {
    db: db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }),
    count: () => statements,
  };
}
