import { ApiError } from '../../errors/api-error.ts';
import { checkJsonStructure } from '../request-bodies/read-json.ts';

/** Entries of arrays and members of objects of a message. Calls have some dozens; a hundred thousand would keep the library busy for seconds. */
const maxMembers = 1000;

/** Characters of identifiers and names, which answers repeat. Those of clients are numbers, UUIDs and words. */
const maxNameLength = 256;

/**
 * The message in the body of a request; undefined for what is no JSON, which the library refuses as JSON-RPC does.
 * Throws `malformed_body` for a batch, which would be many calls for one and which no revision after 2025-03-26 has, and for long identifiers;
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
  checkRepeated(message);
  return message;
}

/** Bounds what an answer repeats of a message, so that none is as large as its request. Throws `malformed_body`. */
function checkRepeated(message: unknown): void {
  const { id, method, params } = membersOf(message);
  const { name, uri, protocolVersion, _meta } = membersOf(params);
  const { progressToken } = membersOf(_meta);
  const repeated = { id, method, 'params.name': name, 'params.uri': uri, 'params.protocolVersion': protocolVersion };
  for (const [member, value] of Object.entries({ ...repeated, 'params._meta.progressToken': progressToken })) {
    const isShort = typeof value === 'string' ? value.length <= maxNameLength : typeof value !== 'object' || !value;
    if (isShort) continue;
    throw new ApiError(
      'malformed_body',
      `\`${member}\` must be a number or text of at most ${maxNameLength} characters.`,
    );
  }
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
