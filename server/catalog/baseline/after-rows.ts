/**
 * Triggers that run once after each statement that inserts or deletes rows, which their function finds in the table `changed`: for each row they
 * would take as long as the rest of storing many chunks does. What a foreign key deletes for many rows is one statement too.
 */
export const afterRows = (name: string, table: string, called: string) =>
  [
    ['insert', 'new'],
    ['delete', 'old'],
  ].map(
    ([event, rows]) =>
      `create trigger ${name}_${event} after ${event} on ${table} referencing ${rows} table as changed
        for each statement execute function ${called}()`,
  );
