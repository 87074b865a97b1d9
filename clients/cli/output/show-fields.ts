import { escapeText } from './escape-text.ts';
import type { Output } from './output.ts';

/** A field: its name, what people read, and what scripts read where that differs. */
export type Field = [name: string, shown: string | null, values?: (string | number)[]];

/** A field a line: its name and its value. Fields without a value are left out. */
export function showFields(fields: Field[], output: Output): void {
  const given = fields.flatMap(([name, shown, values]) =>
    shown === null || shown === '' ? [] : [{ name, text: escapeText(shown), values: values?.map(String) ?? [shown] }],
  );
  const width = Math.max(...given.map(({ name }) => name.length));
  for (const { name, text, values } of given) {
    if (output.isTerminal) output.line(`${output.paint('dim', name.padEnd(width))}  ${text}`);
    else output.row([name, ...values]);
  }
}
