import { fstatSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Demuxer, type IOInputCallbacks } from 'node-av/api';
import { AVERROR_EINVAL, AVERROR_EIO, AVSEEK_CUR, AVSEEK_END, AVSEEK_FORCE, AVSEEK_SIZE } from 'node-av/constants';
import { detectMediaType } from './detect-media-type.ts';

/**
 * The demuxer for each type of file: the only ones that ever open. FFmpeg has more than 300 and chooses among them by what a file
 * holds, playlists (DASH, HLS, concat, SDP, image2, …) included, which name other files and URLs to read.
 */
const demuxerByType: Record<string, string> = {
  'video/mp4': 'mov',
  'video/x-m4v': 'mov',
  'video/quicktime': 'mov',
  'video/3gpp': 'mov',
  'video/3gpp2': 'mov',
  'video/matroska': 'matroska',
  'video/webm': 'matroska',
  'video/vnd.avi': 'avi',
  'video/mpeg': 'mpeg',
  'video/MP1S': 'mpeg',
  'video/MP2P': 'mpeg',
  'video/mp2t': 'mpegts',
  'video/x-flv': 'flv',
  'video/x-ms-asf': 'asf',
  'application/vnd.ms-asf': 'asf',
  'video/ogg': 'ogg',
  'video/x-dv': 'dv',
  'application/mxf': 'mxf',
  'application/vnd.rn-realmedia': 'rm',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'mov',
  'audio/aac': 'aac',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/aiff': 'aiff',
  'audio/amr': 'amr',
  'audio/x-caf': 'caf',
  'audio/x-ms-asf': 'asf',
  'image/gif': 'gif',
  'image/apng': 'apng',
  'image/webp': 'webp_anim',
  'image/bmp': 'bmp_pipe',
  'image/jp2': 'j2k_pipe',
  'image/jpx': 'j2k_pipe',
};

/** Formats that a demuxer opens within the bytes of its own file: AVI holds subtitles as whole files of these kinds. */
const nestedFormats: Record<string, string[]> = { avi: ['srt', 'ass'] };

/** A demuxer and the file it reads, which are closed together. */
export type OpenedMedia = AsyncDisposable & { demuxer: Demuxer };

/**
 * Opens a media file so that nothing but this file can be read, whatever it holds: the demuxer is the one for the detected type, never
 * one that FFmpeg chooses, and it has no way to open a path or a URL. Throws an error of FFmpeg for what cannot be read, and the
 * signal's reason when aborted.
 */
export async function openDemuxer(path: string, signal?: AbortSignal): Promise<OpenedMedia> {
  const mimeType = (await detectMediaType(path))?.mimeType ?? '';
  const format = (await isElementaryVideoStream(path)) ? 'mpegvideo' : demuxerByType[mimeType];
  if (!format) throw new Error(`No demuxer is allowed for the type "${mimeType}".`);
  return openWithFormat(format, path, signal);
}

/** Opens a file by a demuxer that gets its bytes by callbacks and may use no protocol. Whatever the demuxer, it can open nothing else. */
export async function openWithFormat(format: string, path: string, signal?: AbortSignal): Promise<OpenedMedia> {
  signal?.throwIfAborted();
  const file = await open(path, 'r');
  try {
    const demuxer = await Demuxer.open(createInputCallbacks(file.fd), {
      format,
      ...(signal && { signal }),
      options: {
        protocol_whitelist: 'none',
        format_whitelist: [format, ...(nestedFormats[format] ?? [])].join(','),
        ...(format === 'mov' && { enable_drefs: 0, use_absolute_path: 0 }),
      },
    });
    return {
      demuxer,
      async [Symbol.asyncDispose]() {
        // The file is closed last, because the demuxer may be reading still.
        await demuxer.close();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Whether a file is an MPEG video stream without a container; it begins with a sequence header. */
async function isElementaryVideoStream(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.readUInt32BE() === 0x1b3;
}

/**
 * What FFmpeg reads a file by. Reading is synchronous: as many demuxers as there are threads in libuv's pool wait in it for these bytes,
 * so an asynchronous read could wait for a thread for ever. Measured, it is as quick as FFmpeg's own reading.
 */
function createInputCallbacks(descriptor: number): IOInputCallbacks {
  let position = 0;
  return {
    read(size) {
      const buffer = Buffer.allocUnsafe(size);
      try {
        const count = readSync(descriptor, buffer, 0, size, position);
        position += count;
        return count > 0 ? buffer.subarray(0, count) : null;
      } catch {
        return AVERROR_EIO;
      }
    },
    seek(offset, whence) {
      const origin = whence & ~AVSEEK_FORCE;
      const { size } = fstatSync(descriptor);
      if (origin === AVSEEK_SIZE) return BigInt(size);
      const base = origin === AVSEEK_CUR ? position : origin === AVSEEK_END ? size : 0;
      const wanted = base + Number(offset);
      if (wanted < 0 || !Number.isSafeInteger(wanted)) return AVERROR_EINVAL;
      position = wanted;
      return BigInt(position);
    },
  };
}
