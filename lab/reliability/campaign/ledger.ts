export type LedgerEntry = {
  sha256: string;
  size: number;
  /** Values that `creator_id` may have: the last acknowledged one, and those of changes without a response. */
  creators: Set<string | null>;
  /** Whether it may be in the trash, likewise. */
  trashed: Set<boolean>;
  /** Whether it may have each tag, likewise; by the identifier of the tag. */
  tags: Map<string, Set<boolean>>;
};

/** A resumable upload that has not ended. */
export type LedgerUpload = {
  at: string;
  bytes: Buffer;
  sha256: string;
  /** Acknowledged bytes: the service never asks for them again. */
  acknowledged: number;
};

/** All that the service acknowledged, and what it may have done without a response. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  const items = new Map<string, LedgerEntry>();
  const deleted = new Set<string>();
  /** Items whose deletion had no response. */
  const maybeDeleted = new Set<string>();
  /** Items stored since the last check of files. */
  const uncheckedFiles = new Set<string>();
  /** Acknowledged uploads, also of items that are deleted: each is an event. */
  const added = new Set<string>();

  return {
    items,
    deleted,
    maybeDeleted,
    uncheckedFiles,
    added,
    /** Checksums of uploads without a response, with their sizes in bytes. */
    unanswered: new Map<string, number>(),
    /** Names by identifier. */
    creators: new Map<string, string>(),
    tags: new Map<string, string>(),
    invitations: new Set<string>(),
    /** Items by the identifier of their public link. */
    shares: new Map<string, string>(),
    revokedShares: new Set<string>(),
    uploads: new Set<LedgerUpload>(),

    addItem(id: string, sha256: string, size: number): void {
      items.set(id, newEntry(sha256, size));
      uncheckedFiles.add(id);
      added.add(id);
    },
    beginChange(id: string, creator: string | null): void {
      items.get(id)?.creators.add(creator);
    },
    confirmChange(id: string, creator: string | null): void {
      const entry = items.get(id);
      if (entry) entry.creators = new Set([creator]);
    },
    beginDeletion(id: string): void {
      maybeDeleted.add(id);
    },
    confirmDeletion(id: string): void {
      items.delete(id);
      uncheckedFiles.delete(id);
      maybeDeleted.delete(id);
      deleted.add(id);
    },
  };
}

export const newEntry = (sha256: string, size: number): LedgerEntry => ({
  sha256,
  size,
  creators: new Set([null]),
  trashed: new Set([false]),
  tags: new Map(),
});
