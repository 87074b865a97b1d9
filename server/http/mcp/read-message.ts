import { ApiError } from '../../api-error.ts';
import { checkJsonStructure } from '../request-bodies/read-json.ts';

/** Entries of arrays and members of objects of a message. Calls have some dozens; a hundred thousand would keep the library busy for seconds. */
const maxMembers = 1000;

/**
 * The message in the body of a request; undefined for what is no JSON, which the library refuses as JSON-RPC does.
 * Throws `malformed_body` for a batch, which would be many calls for one and which no revision after 2025-03-26 has, and
 * `payload_too_large` for a message of many parts, before anything parses it.
 */
export function readMessage(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  checkJsonStructure(body, maxMembers);
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (Array.isArray(message)) throw new ApiError('malformed_body', 'Send one message in a request.');
  return message;
}
