import type { Generated } from 'kysely';
import type { EventType } from '../../../contract/events.ts';

/** The log of events. */
export type EventTables = {
  /** What happened, in the order of its commits; see `../events/events.ts`. */
  events: {
    workspace_id: string;
    /** Grows with each event of a workspace. In PostgreSQL it is assigned at the commit. */
    number: Generated<number>;
    id: Generated<string>;
    type: EventType;
    /** The item, of events about one. */
    media_id: string | null;
    /** As JSON, without what expires. */
    data: string;
    created_at: Generated<string>;
  };
};
