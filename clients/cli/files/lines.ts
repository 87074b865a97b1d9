import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Values by a key, a line each; a later line counts before an earlier one. Each line is written at once, so that a command that is killed has kept all
 * but its last word.
 */
export class Lines<Value> {
  readonly #file: string;
  readonly #values = new Map<string, Value>();

  constructor(file: string) {
    this.#file = file;
    const text = readIfThere(file);
    // What a killed command began is a line of its own, which says nothing.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
    const lines = text.split('\n');
    for (const line of lines) {
      const entry = parse(line) as [string, Value] | null;
      if (Array.isArray(entry)) this.#values.set(entry[0], entry[1]);
    }
    // Most lines are old ones: what counts is written again.
    if (lines.length > 1000 && lines.length > 2 * this.#values.size) this.#rewrite();
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Whether an entry is so. */
  some(isSo: (key: string, value: Value) => boolean): boolean {
    return [...this.#values].some(([key, value]) => isSo(key, value));
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    // Several commands may add lines at once: one short write at the end of a file is whole.
    appendFileSync(this.#file, toLine(key, value), { mode: 0o600 });
  }

  #rewrite(): void {
    const written = `${this.#file}.${process.pid}.new`;
    writeFileSync(written, [...this.#values].map(([key, value]) => toLine(key, value)).join(''), { mode: 0o600 });
    renameSync(written, this.#file);
  }
}

const toLine = (key: string, value: unknown): string => `${JSON.stringify([key, value])}\n`;

/** The text of a file; empty where there is none. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A line that was cut off says nothing. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
