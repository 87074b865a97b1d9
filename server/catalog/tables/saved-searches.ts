import type { Generated } from 'kysely';
import type { SavedSearch } from '../../../contract/saved-searches.ts';

/** Saved searches, and the items that those which tell of new matches are compared with; see `../searches/saved-matches.ts`. */
export type SavedSearchTables = {
  saved_searches: {
    workspace_id: string;
    id: string;
    name: string;
    /** The name with case folded: unique within a workspace. */
    folded_name: string;
    /** The page of the dashboard. */
    page: SavedSearch['page'];
    /** Parameters of the API, and what only the dashboard reads, as JSON. */
    query: string;
    created_at: string;
    /** Items that were added from then on are reported when they match; null: none are. */
    notify_since: string | null;
    /** How many matches were reported since somebody looked. */
    new_matches: Generated<number>;
  };
  /** Items that were reported as matches of a saved search, so that each is once. */
  saved_matches: { workspace_id: string; saved_search_id: string; media_id: string; matched_at: string };
};
