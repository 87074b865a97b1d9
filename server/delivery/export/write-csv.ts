/** A moment as a row of a table. */
export type TableRow = {
  name: string;
  /** Its place on the machine of the editor, where that is known; else its name. */
  file: string;
  mediaId: string;
  type: string;
  /** Seconds; null for a photograph. */
  start: number | null;
  end: number | null;
  score: number | null;
  /** The page that plays it. */
  link: string;
};

const columns = ['name', 'file', 'media_id', 'type', 'start', 'end', 'duration', 'score', 'link'];

/** Lets Excel read UTF-8; other programs skip it. */
const byteOrderMark = '\uFEFF';

/** A table of moments as CSV (RFC 4180), written row by row as they come. Times are seconds. */
export async function writeCsv(rows: AsyncIterable<TableRow> | TableRow[]): Promise<string> {
  let text = byteOrderMark + toLine(columns);
  for await (const { name, file, mediaId, type, start, end, score, link } of rows) {
    text += toLine([
      name,
      file,
      mediaId,
      type,
      start === null ? '' : formatNumber(start),
      end === null ? '' : formatNumber(end),
      start === null || end === null ? '' : formatNumber(end - start),
      score === null ? '' : formatNumber(score),
      link,
    ]);
  }
  return text;
}

const toLine = (cells: string[]): string => `${cells.map(toCell).join(',')}\r\n`;

const formatNumber = (value: number): string => String(Math.round(value * 1000) / 1000);

/** A cell that begins like a formula gets an apostrophe in front, so that no spreadsheet runs a file name. */
function toCell(value: string): string {
  const guarded = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
