import type { Generated } from 'kysely';

/** Creators, categories, collections and tags. */
export type LabelTables = {
  creators: { workspace_id: string; id: string; name: string; folded_name: string; created_at: string };
  categories: {
    workspace_id: string;
    id: string;
    name: string;
    /** The name with case folded: unique within a workspace. */
    folded_name: string;
    description: string;
    created_at: string;
  };
  /** Collections and tags: an item may be in many of each. `folded_name` as of categories. */
  collections: {
    workspace_id: string;
    id: string;
    name: string;
    folded_name: string;
    created_at: string;
    /** When it got its name, or items were added or removed. */
    updated_at: string;
    description: Generated<string>;
    /** The item that is shown for it; null, or one that is no longer in it: its first ones. */
    cover_id: string | null;
  };
  tags: { workspace_id: string; id: string; name: string; folded_name: string; created_at: string };
  collection_items: {
    workspace_id: string;
    collection_id: string;
    media_id: string;
    added_at: string;
    /** Its place in the order that people gave the collection; null: behind all that have one. */
    position: number | null;
  };
  item_tags: { workspace_id: string; tag_id: string; media_id: string; added_at: string };
};
