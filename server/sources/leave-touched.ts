import type { FoundFile, SourceFileRow } from '../catalog/sources/source-files.ts';
import type { Decided } from './compare-files.ts';
import { ask } from './find-origins.ts';
import type { SourceReader } from './source-reader.ts';

/** Files that are read at a time to find out whether only their times are others. */
const atOnce = 50;

/** Whether a file is what was indexed, as far as its inode, length and sidecars say. */
const mayBeTouched = (row: SourceFileRow | undefined, file: FoundFile): row is SourceFileRow =>
  row !== undefined &&
  row.media_id !== null &&
  row.quick_hash !== null &&
  row.identity === file.identity &&
  row.size === file.size &&
  row.sidecars === file.sidecars;

/**
 * Takes files whose times alone are others, as after `touch` or on a disk that was restored, out of those that changed: nothing of them is to be
 * indexed again. Both ends of a file are read, and all of it where it was hashed whole: that takes less than decoding it.
 */
export async function leaveTouched(
  reader: SourceReader,
  decided: Decided,
  known: ReadonlyMap<string, SourceFileRow>,
): Promise<Decided> {
  const likely = decided.changed.flatMap((file) => {
    const row = known.get(file.path);
    return mayBeTouched(row, file) ? [{ row, file }] : [];
  });
  const touched = new Set<FoundFile>();
  for (let at = 0; at < likely.length; at += atOnce) {
    const some = likely.slice(at, at + atOnce);
    const sameEnds = await keepSame(reader, some, 'ends', ({ quick_hash }) => quick_hash);
    const hashed = sameEnds.filter(({ row }) => row.full_hash !== null);
    const same = new Set(await keepSame(reader, hashed, 'whole', ({ full_hash }) => full_hash));
    for (const each of sameEnds) {
      if (each.row.full_hash !== null && !same.has(each)) continue;
      touched.add(each.file);
      decided.seen.push(each.row);
      decided.touched.set(each.row.path, { identity: each.file.identity, modified_ms: each.file.modified_ms });
    }
  }
  return { ...decided, changed: decided.changed.filter((file) => !touched.has(file)) };
}

type Touched = { row: SourceFileRow; file: FoundFile };

async function keepSame(
  reader: SourceReader,
  files: Touched[],
  want: 'ends' | 'whole',
  hashOf: (row: SourceFileRow) => string | null,
): Promise<Touched[]> {
  const answers = await ask(
    { reader },
    files.map(({ file }) => file.path),
    want,
  );
  return files.filter(({ row, file }) => {
    const answer = answers.get(file.path);
    // What was written meanwhile the next scan sees.
    return answer?.hash === hashOf(row) && answer.modifiedMs === file.modified_ms;
  });
}
