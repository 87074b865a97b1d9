import { alignFingerprints, type Candidate } from '@media-search/indexing/reuse/align';
import { openFingerprint } from '@media-search/indexing/reuse/fingerprint';
import { type Compared, relate, type Relation } from '@media-search/indexing/reuse/relate';
import { readFingerprints } from '../../catalog/reuse/fingerprints.ts';
import type { Catalog } from '../../catalog/schema.ts';

/** What is compared with items of a workspace: a fingerprint in base64, and of each item the moments that look alike, the most alike first. */
export type CopiesTask = {
  workspaceId: string;
  fingerprint: string;
  compared: Compared;
  others: { mediaId: string; candidates: Candidate[] }[];
};

/** The items among those of a task that show the same, and how they relate to what is compared. Decodes no media. */
export async function compareFingerprints(
  db: Catalog,
  { workspaceId, fingerprint, compared, others }: CopiesTask,
): Promise<{ otherId: string; relation: Relation }[]> {
  const own = openFingerprint(Buffer.from(fingerprint, 'base64'));
  const ids = others.map(({ mediaId }) => mediaId);
  const rows = new Map((await readFingerprints(db, workspaceId, ids)).map((row) => [row.media_id, row]));
  return others.flatMap(({ mediaId, candidates }) => {
    const row = rows.get(mediaId);
    if (!row) return [];
    const other = { duration: row.duration, width: row.width ?? 0, height: row.height ?? 0 };
    const relation = relate(alignFingerprints(own, openFingerprint(row.frames), candidates), compared, other);
    return relation ? [{ otherId: mediaId, relation }] : [];
  });
}
