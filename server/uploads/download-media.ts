import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { ApiError } from '../errors/api-error.ts';
import type { OutboundAccess } from '../platform/outbound/checked-agent.ts';
import { nameOfResponse } from './file-name.ts';
import { saveFile } from './save-file.ts';
import type { UploadedFile } from './store-media.ts';
import type { SizeLimit } from './upload-limit.ts';

/** How long a download may take, in minutes. */
export const maxDownloadMinutes = 15;
/** How long the server of a URL may be silent, in seconds. */
const maxSilenceSeconds = 30;
const silenceMs = maxSilenceSeconds * 1000;

const request = {
  headers: { accept: 'video/*, image/*, audio/*, */*;q=0.5' },
  timeout: {
    lookup: silenceMs,
    connect: silenceMs,
    secureConnect: silenceMs,
    response: silenceMs,
    socket: silenceMs,
    request: maxDownloadMinutes * 60_000,
  },
  timeoutMessage: `The URL sent nothing for ${maxSilenceSeconds} seconds, or not all of the file within ${maxDownloadMinutes} minutes.`,
};

type Download = {
  url: string;
  /** An empty folder to store the file in. */
  folder: string;
  /** How large the file may be, by the size that its server declares; see `findUploadLimit`. */
  findLimit: (declaredBytes: number) => Promise<SizeLimit>;
  access: OutboundAccess;
  signal: AbortSignal;
};

/**
 * Downloads a media file by agents that check each address, and hashes it meanwhile.
 * Throws `unreadable_media`, `validation_error`, `unsupported_media_type` and what `findLimit` throws.
 */
export async function downloadMedia({ url, folder, findLimit, access, signal }: Download): Promise<UploadedFile> {
  // Few services ever download: the client is loaded by the first that does.
  const { fetchUrl } = await import('../platform/outbound/fetch-url.ts');
  const target = path.join(folder, 'file');
  return fetchUrl(url, { ...request, access, signal }, async (stream) => {
    const bounded = async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      let limit: SizeLimit | undefined;
      let size = 0;
      for await (const part of parts) {
        // The head of the response is there with the first bytes.
        limit ??= await findLimit(declaredBytes(stream.response?.headers ?? {}));
        size += part.length;
        if (size > limit.bytes) throw limit.tooLargeError();
        yield part;
      }
    };
    const saved = await saveFile(bounded(stream), target, signal);
    if (saved.size === 0) throw new ApiError('unreadable_media', 'The file at this URL is empty.');
    const { url: last = url, headers } = stream.response ?? { headers: {} };
    return { path: target, filename: nameOfResponse(last, headers['content-disposition']), ...saved };
  });
}

/** The size of the file by the head of its response; 0 where it does not say. Throws `unsupported_media_type` for a web page. */
function declaredBytes(headers: IncomingHttpHeaders): number {
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) {
    throw new ApiError(
      'unsupported_media_type',
      'The URL leads to a web page, not to a video or an image. Give the URL of the file itself.',
    );
  }
  return Number(headers['content-length'] ?? 0) || 0;
}
