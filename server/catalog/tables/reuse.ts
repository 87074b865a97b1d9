import type { RelationKind } from '@media-search/indexing/reuse/relate';
import type { Generated } from 'kysely';

/** In which other items an item is used. */
export type ReuseTables = {
  /** By what items are recognised in others (`packages/indexing/reuse/fingerprint.ts`); empty where the file could not be read for it. */
  fingerprints: {
    workspace_id: string;
    media_id: string;
    frames: Uint8Array;
    /** `fingerprintVersion` of what made it. */
    version: Generated<number>;
    made_at: string;
  };
  /** Two items that show the same: each pair once, the smaller identifier first. */
  item_copies: {
    workspace_id: string;
    media_id: string;
    other_id: string;
    /** How the other relates to the item. */
    kind: RelationKind;
    /** `SharedSpan[]` as JSON. */
    spans: string;
    /** 0..1. */
    score: number;
    /** When a person said that they are not the same. */
    dismissed_at: string | null;
    found_at: string;
  };
  /** Workspaces in which the search for copies among items of earlier versions was paused or resumed. */
  copy_searches: { workspace_id: string; paused: Generated<0 | 1> };
};
