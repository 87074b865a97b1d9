/** A moment as clocks write it, with tenths of a second: 0:12.5, 1:02:03.4. */
export function formatTime(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const rest = `${pad(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Bytes in units of a thousand, with three digits: 18.3 MB. */
export function formatBytes(bytes: number): string {
  let [value, power] = [bytes, 0];
  // What would be rounded to a thousand is one of the next unit.
  for (; value >= 999.5 && power < units.length - 1; power++) value /= 1000;
  return `${power === 0 || value >= 1000 ? Math.round(value) : value.toPrecision(3)} ${units[power]}`;
}

/** A number of things: 1 file, 3 files, 2 copies. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
