/** Comments on items, and the members that they mention. */
export type CommentTables = {
  comments: {
    workspace_id: string;
    media_id: string;
    id: string;
    /** The comment that it replies to. */
    parent_id: string | null;
    /** Seconds of a video; the end is null at a moment, both are null of a whole item. */
    start_time: number | null;
    end_time: number | null;
    /** A place in the picture, fractions of its width and height. */
    point_x: number | null;
    point_y: number | null;
    body: string;
    /** Who wrote it: a person, a program with a key, or a guest of a public link. */
    person_id: string | null;
    key_id: string | null;
    share_id: string | null;
    /** The name of a person of that time, of the key, or the one that a guest gave. */
    author_name: string;
    resolved_at: string | null;
    resolved_by: string | null;
    created_at: string;
    edited_at: string | null;
  };
  comment_mentions: {
    workspace_id: string;
    media_id: string;
    comment_id: string;
    person_id: string;
    /** When that person saw it; null: not yet. */
    seen_at: string | null;
  };
};
