/**
 * Parts files into groups that may be stored one after the other, so that no move displaces a file that a later one moves away: of a queue of renames
 * the last goes first. Those that change places with each other stay in one group, whatever its size.
 * @param origins where files were before; no two have the same origin
 */
export function orderMoves<File extends { path: string }>(
  files: File[],
  origins: ReadonlyMap<File, { path: string }>,
  groupFiles: number,
): File[][] {
  const leaving = new Map(Array.from(origins, ([file, { path }]) => [path, file]));
  const taken = new Set<File>();
  const groups: File[][] = [];
  for (const first of files) {
    const chain: File[] = [];
    let next: File | undefined = first;
    while (next && !taken.has(next)) {
      taken.add(next);
      chain.push(next);
      next = leaving.get(next.path);
    }
    const isCycle = chain.length > 1 && next === first;
    for (const part of isCycle ? [chain] : chain.toReversed().map((file) => [file])) {
      const last = groups.at(-1);
      if (last && last.length + part.length <= groupFiles) last.push(...part);
      else groups.push(part);
    }
  }
  return groups;
}
