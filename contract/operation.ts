import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Tag =
  | 'Media'
  | 'Comments'
  | 'Uploads'
  | 'Trash'
  | 'Shares'
  | 'Search'
  | 'Copies'
  | 'Creators'
  | 'Categories'
  | 'Collections'
  | 'Tags'
  | 'Saved searches'
  | 'Exports'
  | 'Events'
  | 'Sources'
  | 'Workspace'
  | 'Description'
  | 'Session'
  | 'API keys'
  | 'Webhooks'
  | 'Members';

/**
 * What a caller of an operation needs. `key`: an API key of the workspace. `anyone`: nothing. In the dashboard, and from its pages only,
 * `visitor`: nothing; `member`: a session in the workspace; `owner`: a session as an owner of the workspace.
 */
export type Access = 'key' | 'anyone' | 'visitor' | 'member' | 'owner';

/** What a JSON body may hold: bytes, and entries of arrays and members of objects at all depths. */
export type BodyLimit = { bytes: number; members: number };

/** The limit of a body with two lists of 1000 identifiers or checksums, with room for what is refused by name. */
export const listsBodyLimit: BodyLimit = { bytes: 192 * 1024, members: 3000 };

/** What goes into and comes out of one endpoint. Requests are checked against it and the OpenAPI document is built from it. */
export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base URL, with parameters written `:id`. */
  path: string;
  summary: string;
  description?: string;
  tag: Tag;
  access: Access;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Header fields of the request that it reads besides the usual ones, by their names. */
  headers?: z.ZodObject;
  /** A JSON body. */
  body?: z.ZodType;
  /** Where the JSON body may be larger than usual: 64 KiB, 1000 entries and members. */
  bodyLimit?: BodyLimit;
  /** The text fields of a multipart form with one part `file`; with `body` the client may choose. */
  form?: z.ZodObject;
  /** The body is bytes of this media type. */
  bytes?: string;
  /** Takes an `Idempotency-Key`. */
  idempotent?: true;
  /** Answers with an `ETag` and takes `If-None-Match`. */
  conditional?: true;
  /** Success statuses with what each means. */
  responses: Record<number, string>;
  /** The usual one of them, when it is not 200. */
  status?: number;
  /** Header fields of a success besides the usual ones. */
  responseHeaders?: readonly string[];
  /** A success has no body. */
  empty?: true;
  data: z.ZodType;
  meta?: z.ZodObject;
  /** A success is a file of one of these media types, not JSON in an envelope. `data` describes its text, of a stream each event. */
  file?: readonly string[];
  /** Error codes beyond those that follow from the fields above and those any request can meet. */
  errors: ErrorCode[];
};
