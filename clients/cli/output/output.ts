import { createPaint, hasColours, type Paint } from './colours.ts';
import { escapeJson, escapeText } from './escape-text.ts';
import { type Column, formatForPeople, formatForScripts } from './format-table.ts';

/** A stream of the process. */
export type OutputStream = {
  isTTY?: boolean;
  columns?: number;
  write(text: string | Uint8Array, onWritten?: () => void): unknown;
};

/** Where a command writes: data to standard output, everything else to standard error. */
export type Output = {
  /** Whether people read the data, in a terminal. */
  isTerminal: boolean;
  /** Whether people read the messages, so that progress may be drawn. */
  isMessageTerminal: boolean;
  /** Colours data. */
  paint: Paint;
  /** Colours messages. */
  paintMessage: Paint;
  /** A table on a terminal, otherwise rows with tabs in between. No rows: nothing. */
  table: <Row>(columns: Column<Row>[], rows: Row[]) => void;
  /** One value as JSON: indented on a terminal, otherwise on one line. */
  json: (value: unknown) => void;
  /** A value of many, each on a line of its own. */
  jsonLine: (value: unknown) => void;
  /** One row of many that come one by one: values with tabs in between on a script's side, with spaces on a terminal. */
  row: (values: string[]) => void;
  /** A line of data. Text of others has to be escaped. */
  line: (text: string) => void;
  /** Text as it is, such as a script for a shell. */
  raw: (text: string) => void;
  /** Bytes of a file; returns when more may be written. Throws the signal's reason when that aborts first: the bytes may have no reader. */
  bytes: (bytes: Uint8Array, signal: AbortSignal) => Promise<void>;
  /** A message for people, escaped. */
  say: (message: string, style?: 'dim' | 'red' | 'yellow') => void;
};

/** Used where a terminal does not say how wide it is. */
const defaultColumns = 80;

export function createOutput(
  stdout: OutputStream,
  stderr: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Output {
  const isTerminal = stdout.isTTY === true;
  const paint = createPaint(hasColours(stdout, env));
  const paintMessage = createPaint(hasColours(stderr, env));
  return {
    isTerminal,
    isMessageTerminal: stderr.isTTY === true,
    paint,
    paintMessage,
    table(columns, rows) {
      if (rows.length === 0) return;
      // Some terminals say 0.
      const width = stdout.columns || defaultColumns;
      const paintHeading = (text: string) => paint('dim', text);
      stdout.write(isTerminal ? formatForPeople(columns, rows, width, paintHeading) : formatForScripts(columns, rows));
    },
    json: (value) => stdout.write(`${escapeJson(value, isTerminal ? 2 : 0)}\n`),
    jsonLine: (value) => stdout.write(`${escapeJson(value, 0)}\n`),
    row: (values) => stdout.write(`${values.map(escapeText).join(isTerminal ? '  ' : '\t')}\n`),
    line: (text) => stdout.write(`${text}\n`),
    raw: (text) => stdout.write(text),
    bytes: (bytes, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const onAbort = () => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
        stdout.write(bytes, () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        });
      }),
    say(message, style) {
      const text = escapeText(message);
      stderr.write(`${style ? paintMessage(style, text) : text}\n`);
    },
  };
}
