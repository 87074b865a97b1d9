import { ApiError } from '../../api-error.ts';

/** Array elements and object members of a message. Calls have some dozens; a hundred thousand would keep the library busy for seconds. */
const maxElements = 1000;

/**
 * The message in the body of a request; undefined for what is no JSON, which the library refuses as JSON-RPC does.
 * Throws `malformed_body` for a batch, which would be many calls for one and which no revision after 2025-03-26 has, and
 * `payload_too_large` for a message of many parts.
 */
export function readMessage(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(message)) throw new ApiError('malformed_body', 'Send one message in a request.');
  if (hasMoreElements(message, maxElements)) {
    throw new ApiError('payload_too_large', `A message may have at most ${maxElements} elements and members.`);
  }
  return message;
}

function hasMoreElements(value: unknown, limit: number): boolean {
  const open = [value];
  let seen = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (next === null || typeof next !== 'object') continue;
    const children = Object.values(next) as unknown[];
    seen += children.length;
    if (seen > limit) return true;
    open.push(...children);
  }
  return false;
}
