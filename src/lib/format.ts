/** Seconds as a clock: `0:07`, `12:03`, `1:02:03`; with tenths where spans are short: `0:07.4`. */
export function formatTime(seconds: number, tenths = false): string {
  const unit = tenths ? 10 : 1;
  const rounded = (tenths ? Math.round(seconds * unit) : Math.floor(seconds * unit)) / unit;
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor((rounded % 3600) / 60);
  const rest = (rounded % 60).toFixed(tenths ? 1 : 0).padStart(tenths ? 4 : 2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** When a clip is, as people say it. */
export const formatSpan = ({
  type,
  start,
  end,
}: {
  type: 'video' | 'image' | 'audio';
  start: number;
  end: number;
}): string => (type === 'image' ? 'Image' : `${formatTime(start, true)} – ${formatTime(end, true)}`);

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** Bytes in the largest unit that leaves at least one, in the reader's locale. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value);
}

/** A fraction as a whole percentage. */
export const formatPercent = (fraction: number): string =>
  new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }).format(fraction);

export const formatDate = (timestamp: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(timestamp));

/** A day, such as that of a date without a time. */
export const formatDay = (date: string): string =>
  new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(date || 0));

/** A length of time in the largest unit that fits: `42 sec`, `12 min`, `3.4 hr`. */
export function formatDuration(seconds: number): string {
  const [value, unit] =
    seconds < 60 ? [seconds, 'second'] : seconds < 3600 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: unit === 'hour' ? 1 : 0,
  }).format(value);
}

/** A rough time to wait, in steps that do not change with each second: `20 s left`, `3 min left`, `2.5 hr left`. */
export function formatTimeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds <= 60) return `${Math.max(1, Math.ceil(seconds / 10)) * 10} s left`;
  return seconds < 90 * 60 ? `${Math.ceil(seconds / 60)} min left` : `${formatDuration(seconds)} left`;
}

/** A whole number with the reader's separators. */
export const formatCount = (count: number): string => new Intl.NumberFormat().format(count);

export const countItems = (count: number): string => `${formatCount(count)} ${count === 1 ? 'item' : 'items'}`;
