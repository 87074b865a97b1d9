import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyLimit } from '../../../contract/operation.ts';
import { ApiError } from '../../errors/api-error.ts';

/** How deep arrays and objects may lie in each other. Requests of the API have four levels. */
const maxDepth = 64;

/** The limit of a JSON body where the operation names no other. */
export const defaultBodyLimit: BodyLimit = { bytes: 64 * 1024, members: 1000 };

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Bounds what a parser and all that walks through its result can cost. It reads the bytes once and allocates nothing, so it is far cheaper than what it
 * prevents: a megabyte of brackets takes a parser seconds. Whether the bytes are JSON is for the parser to say.
 * Throws `malformed_body` for what is nested too deeply and `payload_too_large` for too many entries of arrays and members of objects.
 */
export function checkJsonStructure(bytes: Buffer, maxMembers: number): void {
  let depth = 0;
  let members = 0;
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place];
    if (byte === quote) {
      place = findEndOfText(bytes, place);
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      // Its first entry, which no comma precedes.
      members += 1;
      if (depth > maxDepth) throw new ApiError('malformed_body', `The body is nested more than ${maxDepth} deep.`);
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    } else if (byte === comma) {
      members += 1;
    }
    if (members > maxMembers) {
      const most = maxMembers.toLocaleString('en');
      throw new ApiError('payload_too_large', `The body may have at most ${most} entries and members.`);
    }
  }
}

/** Where the quotation mark that ends a text is; the end of the bytes when there is none. */
function findEndOfText(bytes: Buffer, start: number): number {
  let end = start;
  for (;;) {
    end = bytes.indexOf(quote, end + 1);
    if (end === -1) return bytes.length;
    let first = end;
    while (bytes[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
}

/** Parses the bytes of a JSON body; undefined for an empty one. Throws `malformed_body` and `payload_too_large`. */
export type ReadJson = (request: FastifyRequest, bytes: Buffer, limit?: BodyLimit) => Promise<unknown>;

/** Makes what reads JSON bodies: Fastify's parser, which refuses keys that change prototypes, behind a bound of what it can cost. */
export function createJsonReader(app: FastifyInstance): ReadJson {
  const parse = app.getDefaultJsonParser('error', 'error');
  return async (request, bytes, limit = defaultBodyLimit) => {
    // An empty body is none: many clients name the type even where they send nothing.
    if (bytes.length === 0) return undefined;
    checkJsonStructure(bytes, limit.members);
    return new Promise((resolve, reject) => {
      void parse(request, bytes.toString(), (error, value) => (error ? reject(error) : resolve(value)));
    });
  };
}

/** Has JSON bodies reach their handlers as bytes: they are parsed when it is the request's turn. */
export function keepJsonUnread(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
