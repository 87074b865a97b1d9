import type { Generated } from 'kysely';
import type { Role } from '../../../contract/accounts.ts';
import type { Limits } from '../../../contract/workspace.ts';

/**
 * How much of a workspace on the plan may go on at once, and how many requests a minute each of its keys may make; null: the
 * limits of the service.
 */
export type TrafficLimits = Record<
  | 'requests_per_minute'
  | 'requests_at_once'
  | 'searches_at_once'
  | 'reranks_at_once'
  | 'image_searches_at_once'
  | 'uploads_at_once'
  | 'imports_at_once'
  | 'agents_at_once',
  number | null
>;

/** Workspaces with their plans and usage, and who may use them: people by sessions, programs by API keys. */
export type AccountTables = {
  workspaces: {
    id: string;
    name: string;
    plan_id: string;
    /** The active embedder; null: the target embedder. */
    embedder_id: string | null;
    /** How other machines name the folders of sources: `PathMapping[]` as JSON. */
    path_mappings: Generated<string>;
    created_at: string;
  };
  /** Limits of null are unlimited, and those of traffic the usual ones. */
  plans: { id: string; name: string } & Limits & TrafficLimits;
  usage_days: {
    workspace_id: string;
    /** `YYYY-MM-DD`, UTC. */
    date: string;
    uploads: Generated<number>;
    searches: Generated<number>;
    /** Bytes stored after the last change of that day. */
    storage_bytes: Generated<number>;
  };
  people: {
    id: string;
    name: string;
    /** E-mail address to sign in with, in lower case; null for a person who joined by a link and set none. */
    email: string | null;
    /** In the PHC string format. */
    password_hash: string | null;
    created_at: string;
  };
  memberships: { workspace_id: string; person_id: string; role: Role; created_at: string };
  sessions: { token_hash: string; workspace_id: string; person_id: string; created_at: string; expires_at: string };
  sign_in_links: {
    token_hash: string;
    workspace_id: string;
    person_id: string;
    expires_at: string;
    used_at: string | null;
  };
  invitations: {
    workspace_id: string;
    id: string;
    token_hash: string;
    role: Role;
    invited_by: string;
    created_at: string;
    expires_at: string;
  };
  api_keys: {
    workspace_id: string;
    id: string;
    /** SHA-256 of the whole key, hexadecimal: how a request finds its workspace. */
    hash: string;
    /** The encrypted key, so that a member can reveal it. */
    sealed: Uint8Array;
    /** Its last four characters; null for keys of versions that did not store them. */
    ending: string | null;
    name: string | null;
    created_at: string;
    last_used_at: string | null;
    /** End of the grace period after a rotation. */
    expires_at: string | null;
    revoked_at: string | null;
    /** The person that created it in the dashboard. */
    created_by: string | null;
  };
};
