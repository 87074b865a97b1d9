import path from 'node:path';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ApiError, validationError } from '../../errors/api-error.ts';
import { iterateUntilAborted } from '../../platform/abort-signals.ts';
import { toBaseName } from '../../uploads/file-name.ts';
import { saveFile } from '../../uploads/save-file.ts';
import type { UploadedFile } from '../../uploads/store-media.ts';
import type { SizeLimit } from '../../uploads/upload-limit.ts';
import { isStorageFailure } from '../errors/error-handler.ts';

/**
 * Reads a multipart form: exactly one part `file`, streamed to disk while it is hashed, and text fields before or after it.
 * @param folder an empty folder to store the file in
 * @param limit of the file
 * @param signal aborts when the client has disconnected: the parser gets no event of a connection that closed before it listened
 */
export async function receiveForm(
  request: FastifyRequest,
  folder: string,
  limit: SizeLimit,
  signal: AbortSignal,
): Promise<{ file: UploadedFile; fields: Record<string, unknown> }> {
  if (!request.isMultipart()) {
    throw new ApiError('unsupported_media_type', 'The body must be multipart/form-data with a part named `file`.');
  }
  // The header was set by hand: clients that send forms write it with the boundary.
  if (!/;\s*boundary=/i.test(request.headers['content-type'] ?? '')) {
    throw new ApiError('malformed_body', 'The `Content-Type` names no `boundary` of the form: let your client set it.');
  }
  let file: UploadedFile | undefined;
  const fields: Record<string, unknown> = {};
  signal.throwIfAborted();
  try {
    const parts = request.parts({ limits: { fileSize: limit.bytes } });
    for await (const part of iterateUntilAborted(signal, parts)) {
      if (!part.fieldname) throw new ApiError('malformed_body', 'A part of the form has no name. Give each part one.');
      if (part.type === 'field') {
        addField(fields, part);
      } else if (part.fieldname === 'file') {
        file = await receiveFile(part, folder, limit.tooLargeError, signal);
      } else {
        throw fileError(`must come in a part named \`file\`; this one is named \`${part.fieldname.slice(0, 64)}\``);
      }
    }
  } catch (error) {
    if (error instanceof ApiError || isStorageFailure(error)) throw error;
    signal.throwIfAborted();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'FST_REQ_FILE_TOO_LARGE') throw limit.tooLargeError();
    if (code === 'FST_FILES_LIMIT') throw fileError('may be sent once');
    if (code === 'FST_FIELDS_LIMIT') throw validationError([{ path: 'body', message: 'has too many fields' }]);
    throw new ApiError('malformed_body', 'The form could not be read to its end. Send the file again.');
  }
  if (!file) throw fileError('file' in fields ? 'must be a file, and came as text' : 'is missing');
  return { file, fields };
}

/** Throws `validation_error` for a field that was sent before, or is cut off: what is left out would be lost without a word. */
function addField(fields: Record<string, unknown>, { fieldname, value, valueTruncated }: MultipartValue): void {
  // An empty field of a browser's form means: not chosen.
  if (value === '') return;
  const fault = valueTruncated ? 'is too long' : Object.hasOwn(fields, fieldname) ? 'was given more than once' : null;
  if (fault !== null) throw validationError([{ path: `body.${fieldname.slice(0, 64)}`, message: fault }]);
  fields[fieldname] = value;
}

async function receiveFile(
  part: MultipartFile,
  folder: string,
  tooLarge: () => ApiError,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const target = path.join(folder, 'file');
  const { size, sha256 } = await saveFile(part.file, target, signal);
  if (part.file.truncated) throw tooLarge();
  if (size === 0) throw fileError('is empty');
  return { path: target, filename: toBaseName(decodeFilename(part.filename)), size, sha256 };
}

/** Browsers, and others that follow HTML, escape these three in the name of a file, and no others (https://html.spec.whatwg.org/#multipart-form-data). */
const decodeFilename = (name: string): string =>
  name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');

const fileError = (message: string): ApiError => validationError([{ path: 'body.file', message }]);
