import type { Catalog } from '../catalog/schema.ts';
import { addFiles } from '../catalog/sources/add-files.ts';
import { changeFiles } from '../catalog/sources/change-files.ts';
import { moveFiles } from '../catalog/sources/move-files.ts';
import {
  findFiles,
  type FoundFile,
  markSeen,
  missingScans,
  type TouchedFile,
  type SourceFileRow,
  type SourceKey,
} from '../catalog/sources/source-files.ts';
import { inWorkspace } from '../catalog/transactions.ts';
import { findOrigins, findSwapped, hasSameContent, isKnown, type Listed, type Origins } from './find-origins.ts';
import { leaveTouched } from './leave-touched.ts';
import { mediaTypeOfName } from './media-extensions.ts';
import { orderMoves } from './order-moves.ts';
import type { SourceReader } from './source-reader.ts';
import type { ListedFile } from './walk-folder.ts';

/** Files that are stored in one transaction: others write between. */
const storedAtOnce = 500;

/** What comparing files with the catalog found. */
type Compared = { added: number; changed: number; moved: number };

/** What is known of files, and what became of them. */
export type Decided = {
  fresh: Listed[];
  seen: SourceFileRow[];
  /** Of files that are as they were, what of them is another now, by path. */
  touched: Map<string, TouchedFile>;
  changed: FoundFile[];
  /** Files with another content than was known at their paths, and another inode, or in another file system. */
  replaced: Listed[];
};

const toListed = (file: ListedFile): Listed => ({
  ...file,
  found: {
    path: file.path,
    size: file.size,
    modified_ms: file.modifiedMs,
    identity: file.identity,
    sidecars: JSON.stringify(file.sidecars),
    ...(mediaTypeOfName(file.path) ?? { type: 'video', mimeType: 'application/octet-stream' }),
  },
});

/** How many files are decided of at a time when all was listed. */
const decidedAtOnce = 500;

function decide(
  { reader, isOtherRoot, swapped }: { reader: SourceReader; isOtherRoot: boolean; swapped: ReadonlySet<string> },
  files: ListedFile[],
  known: ReadonlyMap<string, SourceFileRow>,
): Decided {
  const decided: Decided = { fresh: [], seen: [], touched: new Map(), changed: [], replaced: [] };
  for (const file of files.map(toListed)) {
    const row = known.get(file.path);
    if (!row) decided.fresh.push(file);
    else if (row.media_id === null) decided.changed.push(file.found);
    // An object that was stored again with the same content is as it was.
    else if (!isAsKnown(reader, row, file) || swapped.has(file.path)) {
      if (row.identity === file.identity && !isOtherRoot) decided.changed.push(file.found);
      else decided.replaced.push(file);
    } else if (row.sidecars !== file.found.sidecars) decided.changed.push(file.found);
    else {
      decided.seen.push(row);
      const { identity, modified_ms } = file.found;
      if (row.identity !== identity || row.modified_ms !== modified_ms)
        decided.touched.set(row.path, { identity, modified_ms });
    }
  }
  return decided;
}

/** Whether a file is what was known at its path, as far as a listing says. */
const isAsKnown = (reader: SourceReader, row: SourceFileRow, file: Listed): boolean =>
  reader.identifiesContent ? isKnown(reader, row, file) : hasSameContent(row, file);

/** Files that are as they were but for their inodes. */
const keepRenumbered = (
  reader: SourceReader,
  files: ListedFile[],
  known: ReadonlyMap<string, SourceFileRow>,
): ListedFile[] =>
  files.filter((file) => {
    const row = known.get(file.path);
    return row !== undefined && row.identity !== file.identity && isAsKnown(reader, row, toListed(file));
  });

const toMoves = (origins: Origins) => Array.from(origins, ([file, row]) => ({ row, file: file.found }));

/** The origins of some files. */
const originsOf = (files: Listed[], origins: Origins): Origins =>
  new Map(
    files.flatMap((file) => {
      const row = origins.get(file);
      return row ? [[file, row] as const] : [];
    }),
  );

/**
 * Compares files that were listed with those that the catalog knows, and stores what is new, changed, renamed and moved. What was renamed or moved
 * stays the same item, and nothing of it is indexed again.
 * @param isOtherRoot whether the root may be that of another disk, on which the same inodes are of other files
 */
export function createComparison(
  db: Catalog,
  source: SourceKey,
  reader: SourceReader,
  { scan, isOtherRoot }: { scan: number; isOtherRoot: boolean },
) {
  const context = { db, source, reader };
  /** Decided when all was seen: what was known at their paths may have moved away. */
  const replaced: Listed[] = [];
  const totals: Compared = { added: 0, changed: 0, moved: 0 };

  async function store({ fresh, seen, touched, changed }: Omit<Decided, 'replaced'>, origins: Origins): Promise<void> {
    await inWorkspace(db, source.workspace_id, async (transaction) => {
      await markSeen(transaction, source, scan, seen, touched);
      totals.changed += await changeFiles(transaction, source, scan, changed);
      await moveFiles(transaction, source, scan, toMoves(origins));
      const added = fresh.filter((file) => !origins.has(file)).map(({ found }) => found);
      totals.added += await addFiles(transaction, source, scan, added);
    });
    totals.moved += origins.size;
  }

  const findKnown = (files: ListedFile[]) =>
    findFiles(
      db,
      source,
      files.map(({ path }) => path),
    );

  return {
    totals,

    async compare(files: ListedFile[]): Promise<void> {
      if (files.length === 0) return;
      const known = await findKnown(files);
      const swapped = await findSwapped(context, isOtherRoot ? [] : keepRenumbered(reader, files, known));
      const decided = await leaveTouched(reader, decide({ reader, isOtherRoot, swapped }, files, known), known);
      replaced.push(...decided.replaced);
      await store(decided, await findOrigins(context, decided.fresh));
    },

    /**
     * Of the files that were found in the place of others, how many are known from nowhere, and how many of those that the scan missed so far are
     * found again among them. To be called before `finish`; nothing is stored.
     */
    async countReplaced(): Promise<{ replaced: number; returned: number }> {
      const returned = new Set<string>();
      let moved = 0;
      for (let at = 0; at < replaced.length; at += decidedAtOnce) {
        const origins = await findOrigins(context, replaced.slice(at, at + decidedAtOnce));
        moved += origins.size;
        for (const row of origins.values()) if (row.seen < scan && row.missing < missingScans) returned.add(row.path);
      }
      return { replaced: replaced.length - moved, returned: returned.size };
    },

    /** Decides of the files that were found in the place of others. To be called when all was listed. */
    async finish(): Promise<void> {
      if (replaced.length === 0) return;
      const known = await findKnown(replaced);
      const origins = await findOrigins(context, replaced);
      // What was known there has moved away, or the file itself was changed, as by a program that writes another and renames it.
      const fresh = replaced.filter((file) => origins.has(file) || !known.has(file.path));
      const changed = replaced.filter((file) => !origins.has(file) && known.has(file.path)).map(({ found }) => found);
      const none = { fresh: [], seen: [], touched: new Map(), changed: [] };
      for (const group of orderMoves(fresh, origins, storedAtOnce)) {
        await store({ ...none, fresh: group }, originsOf(group, origins));
      }
      for (let at = 0; at < changed.length; at += storedAtOnce)
        await store({ ...none, changed: changed.slice(at, at + storedAtOnce) }, new Map());
    },
  };
}
