import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_LOG_ERROR, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Log } from 'node-av/lib';

Log.setLevel(AV_LOG_ERROR);

/** A part of a film as another film shows it: seconds of it, and filters of FFmpeg over them. */
export type Part = { source: string; start: number; end: number; filter: string };

const framesPerSecond = 25;

/** Writes a film of parts, one after the other, all of one size. @param crf quality of x264, 0 (best) to 51 */
export async function writeFilm(target: string, parts: Part[], crf = 26): Promise<void> {
  const [first] = parts;
  if (!first) throw new Error('A film needs a part.');
  await using output = await Muxer.open(target, { format: 'mp4' });
  let writer: { encoder: Encoder; place: number } | undefined;
  let count = 0;
  for (const part of parts) {
    for await (const { frame, decoder, filter } of filteredFrames(part)) {
      if (!writer) {
        const options = { preset: 'veryfast', crf, g: 50 };
        const encoder = await Encoder.create(FF_ENCODER_LIBX264, { decoder, filter, options });
        writer = { encoder, place: output.addStream(encoder) };
      }
      frame.pts = BigInt(count);
      count += 1;
      for (using encoded of await writer.encoder.encodeAll(frame)) await output.writePacket(encoded, writer.place);
    }
  }
  if (!writer) throw new Error(`${first.source} has no frame.`);
  for (using encoded of await writer.encoder.encodeAll(null)) await output.writePacket(encoded, writer.place);
  writer.encoder[Symbol.dispose]();
}

async function* filteredFrames({ source, start, end, filter: graph }: Part) {
  await using input = await Demuxer.open(source);
  const video = input.video();
  if (!video) throw new Error(`${source} has no image.`);
  using decoder = await Decoder.create(video, { exitOnError: false });
  const rate = `fps=${framesPerSecond},settb=1/${framesPerSecond}`;
  using filter = FilterAPI.create(`setpts=PTS-STARTPTS,${graph},${rate},setsar=1,format=yuv420p`);
  let origin: number | undefined;
  for await (using frame of decoder.frames(input.packets(video.index))) {
    if (!frame) continue;
    const time = Number(frame.pts) * (frame.timeBase.num / frame.timeBase.den);
    origin ??= time;
    if (time - origin < start) continue;
    if (time - origin >= end) break;
    for (using changed of await filter.processAll(frame)) yield { frame: changed, decoder, filter };
  }
  for (using changed of await filter.processAll(null)) yield { frame: changed, decoder, filter };
}
