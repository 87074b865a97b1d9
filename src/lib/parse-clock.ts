/**
 * A position as people write it: `7`, `7.4`, `1:02.5`, `1:02:03`.
 * @returns seconds; null for anything else
 */
export function parseClock(text: string): number | null {
  const match = /^\s*(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:[.,]\d+)?)\s*$/.exec(text);
  if (!match) return null;
  const [, hours = '0', minutes = '0', seconds = ''] = match;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
}
