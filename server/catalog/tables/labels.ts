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
  };
  tags: { workspace_id: string; id: string; name: string; folded_name: string; created_at: string };
  collection_items: { workspace_id: string; collection_id: string; media_id: string; added_at: string };
  item_tags: { workspace_id: string; tag_id: string; media_id: string; added_at: string };
};
