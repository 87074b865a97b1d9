export type LedgerEntry = {
  sha256: string;
  size: number;
  /** Values that `creator_id` may have: the last acknowledged one, and those of changes without a response. */
  creators: Set<string | null>;
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

  return {
    items,
    deleted,
    maybeDeleted,
    uncheckedFiles,
    /** Checksums of uploads without a response, with their sizes in bytes. */
    unanswered: new Map<string, number>(),
    /** Names by identifier. */
    creators: new Map<string, string>(),
    invitations: new Set<string>(),

    addItem(id: string, sha256: string, size: number): void {
      items.set(id, { sha256, size, creators: new Set([null]) });
      uncheckedFiles.add(id);
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
