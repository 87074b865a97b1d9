import type { FastifyInstance, FastifyRequest } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { tus } from '../../../contract/uploads.ts';
import { isActiveKey } from '../../catalog/accounts/api-keys.ts';
import type { UploadRow } from '../../catalog/media/uploads.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';
import { iterateUntilAborted } from '../../platform/abort-signals.ts';
import { freeChunk } from '../../platform/storage/free-chunk.ts';
import { finishUpload, throwRefusal } from '../../uploads/resumable/finish-upload.ts';
import { type HeldUpload, holdUpload } from '../../uploads/resumable/hold-upload.ts';
import { type PartChecksum, receivePart, tooLongError } from '../../uploads/resumable/receive-part.ts';
import { revokedKeyError } from '../auth/api-key-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { busyMs, pauseAfter } from '../limits/concurrency-limit.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { requireTusVersion } from '../protocol/tus.ts';
import { sendUploadHeaders } from './uploads.ts';

/** `PATCH /uploads/:id`: answers when all it brought is durable, and after the last bytes when they are an item. */
export function serveUploadParts(app: FastifyInstance, dependencies: Dependencies): void {
  // The handler reads the body.
  app.addContentTypeParser(tus.partType, (_request, _body, done) => done(null));
  serveOperation(
    app,
    operations.sendPart,
    async ({ workspaceId, params, headers, request, reply, signal }) => {
      const checksum = parseChecksum(headers['Upload-Checksum']);
      const busySince = busyMs();
      const row = await holdUpload(dependencies, workspaceId, params.id, signal, async (held) => {
        throwRefusal(held.row);
        checkOffset(held.row, headers['Upload-Offset']);
        if (Number(request.headers['content-length'] ?? 0) > held.row.length - held.row.received) {
          throw tooLongError(held.row.length);
        }
        if (held.row.ended_at !== null) return held.row;
        const stored = await receive(dependencies, held, request, checksum, signal);
        if (stored.received < stored.length) return stored;
        // A later request discards it, or ends it itself.
        held.signal.throwIfAborted();
        // The part may have taken long. What arrived stays: a client with another key goes on with it.
        await checkKey(dependencies, request);
        return finishUpload(dependencies, { ...stored, lease_owner: held.row.lease_owner });
      });
      const isSmall = Number(request.headers['content-length'] ?? Infinity) <= smallBytes;
      if (isSmall && row.received < row.length) await pauseAfter(request, busyMs() - busySince, signal);
      sendUploadHeaders(reply, row);
      return { data: undefined };
    },
    { kind: 'upload', timeoutSeconds: null, onRequest: checkHead },
  );
}

/**
 * A part costs as much besides its bytes (to hold the upload, to make them durable, to note it) when it has one byte as when it has megabytes,
 * which clients send. A smaller part than this that is not the last waits for the next turn while others ask.
 */
const smallBytes = 64 * 1024;

async function checkHead(request: FastifyRequest): Promise<void> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== tus.partType) {
    throw new ApiError('unsupported_media_type', `The body must have the type ${tus.partType}.`);
  }
  await requireTusVersion(request);
}

function receive(
  { db, partialFiles }: Dependencies,
  held: HeldUpload,
  request: FastifyRequest,
  checksum: PartChecksum | null,
  disconnected: AbortSignal,
): Promise<UploadRow> {
  const signal = AbortSignal.any([disconnected, held.signal, request.server.closing]);
  // Ending it early must not close the connection, over which the refusal goes.
  const chunks = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  return receivePart({ db, partialFiles }, held, {
    body: freeEach(iterateUntilAborted(signal, chunks)),
    checksum,
    signal,
    checkAccess: () => checkKey({ db }, request),
  });
}

/** Chunks that are stored by the time that the next one is asked for. */
async function* freeEach(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  for await (const bytes of chunks) {
    yield bytes;
    freeChunk(bytes);
  }
}

async function checkKey({ db }: Pick<Dependencies, 'db'>, { workspaceId, apiKeyId }: FastifyRequest): Promise<void> {
  if (!(await isActiveKey(db, workspaceId, apiKeyId))) throw revokedKeyError();
}

function checkOffset({ received }: UploadRow, offset: number): void {
  if (offset === received) return;
  throw new ApiError(
    'offset_mismatch',
    `This upload has ${received} bytes; send what follows these. \`Upload-Offset\` must be ${received}.`,
    { headers: { 'Upload-Offset': String(received) } },
  );
}

function parseChecksum(header: string | undefined): PartChecksum | null {
  if (header === undefined) return null;
  const [name, text = ''] = header.split(' ');
  const algorithm = tus.checksumAlgorithms.find((each) => each === name);
  if (!algorithm) {
    throw validationError([
      { path: 'header.Upload-Checksum', message: `must begin with ${tus.checksumAlgorithms.join(' or ')}` },
    ]);
  }
  return { algorithm, digest: Buffer.from(text, 'base64') };
}
