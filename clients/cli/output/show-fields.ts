import { escapeText } from './escape-text.ts';
import type { Output } from './output.ts';

/** A field a line: its name and its value. Fields without a value are left out. */
export function showFields(fields: [name: string, value: string | null][], output: Output): void {
  const given = fields.filter((field): field is [string, string] => field[1] !== null && field[1] !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  for (const [name, value] of given) {
    const text = escapeText(value);
    output.line(output.isTerminal ? `${output.paint('dim', name.padEnd(width))}  ${text}` : `${name}\t${text}`);
  }
}
