/**
 * The edit distance of two texts (Levenshtein 1966), or null where it is above a limit. Only the diagonals are looked at that can stay within it (Ukkonen,
 * "Algorithms for approximate string matching", 1985), and no row after one that cannot: pages of small print that differ cost little.
 */
export function editDistance(a: string, b: string, limit: number): number | null {
  if (Math.abs(a.length - b.length) > limit) return null;
  let row = Uint16Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = new Uint16Array(b.length + 1).fill(limit + 1);
    let least = (next[0] = i);
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const substituted = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      least = Math.min(least, (next[j] = Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1)));
    }
    if (least > limit) return null;
    row = next;
  }
  const distance = row[b.length] as number;
  return distance > limit ? null : distance;
}
