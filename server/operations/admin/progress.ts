export type Progress = ReturnType<typeof createProgress>;

/** Time between two updates of the line on a terminal, milliseconds. */
const updateIntervalMs = 250;
/** Time between two lines elsewhere, such as in a log: what takes less has none. */
const lineIntervalMs = 30_000;

/**
 * One line on a terminal with the progress and the estimated time left; without a terminal a line every half a minute.
 * @param format of what is counted: bytes, unless another is given
 */
export function createProgress(
  what: string,
  { stream = process.stderr, format = formatBytes }: { stream?: NodeJS.WriteStream; format?: typeof formatBytes } = {},
) {
  const startedAt = Date.now();
  let lastShownAt = stream.isTTY ? 0 : startedAt;
  let [done, total] = [0, 0];

  function show(): void {
    if (Date.now() - lastShownAt < (stream.isTTY ? updateIntervalMs : lineIntervalMs)) return;
    lastShownAt = Date.now();
    const left =
      done === 0 ? '' : `, about ${describeSeconds((((lastShownAt - startedAt) / done) * (total - done)) / 1000)} left`;
    const line = `${what}: ${format(done)} of ${format(total)}${left}`;
    stream.write(stream.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
  }

  return {
    /** Adds what is to be processed, such as bytes. */
    addTotal(count: number): void {
      total += count;
      show();
    },
    advance(count: number): void {
      done += count;
      total = Math.max(total, done);
      show();
    },
    /** Clears the line. */
    end(): void {
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}

/** The progress of copying a catalog and its files. */
export function createMoveProgress() {
  const rows = createProgress('Copying the catalog', { format: (count) => `${count} rows` });
  const bytes = createProgress('Copying files');
  const end = (): void => {
    rows.end();
    bytes.end();
  };
  return { rows, bytes, end };
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes for people: `18.3 MiB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
