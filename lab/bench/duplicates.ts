import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_LOG_ERROR, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Log } from 'node-av/lib';
import type { SearchHit } from '../../contract/search.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { expectQuality } from './expected-quality.ts';
import { waitForItem } from './library.ts';

/**
 * Whether `dedupe` shows an event once when its clip was uploaded again under other encodings, sizes, crops and trims, and whether
 * it keeps what is another event, by our HTTP API. Each chunk of each clip is searched by. A second table says how similar copies and
 * other clips are: the share at and above each threshold. Both for the clips that the thresholds were chosen on, and for clips of other
 * sources that chose nothing, in a service of their own.
 *
 *     npm run node -- lab/bench/duplicates.ts <folder of clips, chosen on> <folder of other clips> [--embedder <builtin|descriptors|preset|folder> ...]
 *         [--clips <number>]
 *
 * `--clips` takes only so many of each, spread over the folder: what a small workspace is like.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    clips: { type: 'string', default: '1000' },
  },
});

type Span = { id: string; start: number; end: number };
type Copy = { filter: string; crf: number; from: number };
const even = 'scale=trunc(iw/2)*2:trunc(ih/2)*2';
const copies: Record<string, Copy> = {
  're-encoded': { filter: even, crf: 36, from: 0 },
  'half the size': { filter: 'scale=trunc(iw/4)*2:trunc(ih/4)*2', crf: 26, from: 0 },
  'cropped by 10 %': { filter: `crop=iw*0.9:ih*0.9,${even}`, crf: 26, from: 0 },
  'trimmed by a second': { filter: `trim=start=1,setpts=PTS-STARTPTS,${even}`, crf: 26, from: 1 },
};

async function writeCopy(source: string, target: string, { filter: graph, crf }: Copy): Promise<void> {
  await using input = await Demuxer.open(source);
  const video = input.video();
  if (!video) throw new Error(`${source} has no image.`);
  using decoder = await Decoder.create(video, { exitOnError: false });
  using filter = FilterAPI.create(`${graph},format=yuv420p`);
  using encoder = await Encoder.create(FF_ENCODER_LIBX264, { decoder, filter, options: { preset: 'veryfast', crf } });
  await using output = await Muxer.open(target, { input, format: 'mp4' });
  const place = output.addStream(encoder, { inputStream: video });
  for await (using packet of input.packets(video.index)) {
    for (using frame of await decoder.decodeAll(packet)) {
      for (using changed of await filter.processAll(frame)) {
        for (using encoded of await encoder.encodeAll(changed)) await output.writePacket(encoded, place);
      }
    }
  }
  for (using changed of await filter.processAll(null)) {
    for (using encoded of await encoder.encodeAll(changed)) await output.writePacket(encoded, place);
  }
  for (using encoded of await encoder.encodeAll(null)) await output.writePacket(encoded, place);
}

Log.setLevel(AV_LOG_ERROR);
await using temporary = await temporaryFolder();
/** A file with the clip that it is a copy of, how, and what its time counts from. */
type Uploaded = { file: string; clip: string; how: string; from: number };

/** The clips of a folder, each with its copies. */
async function readClips(folder: string): Promise<Uploaded[]> {
  const found = (await readdir(folder)).filter((name) => /\.(mp4|webm|mkv|avi|mov)$/i.test(name)).toSorted();
  const wanted = Math.min(Number(values.clips), found.length);
  const clips = Array.from({ length: wanted }, (_, i) => found[Math.floor((i * found.length) / wanted)] as string);
  const files: Uploaded[] = [];
  for (const clip of clips) {
    files.push({ file: path.join(folder, clip), clip, how: 'original', from: 0 });
    for (const [i, [how, copy]] of Object.entries(copies).entries()) {
      const file = temporary.file(`${i} ${path.parse(clip).name}.mp4`);
      await writeCopy(path.join(folder, clip), file, copy);
      files.push({ file, clip, how, from: copy.from });
    }
  }
  return files;
}

/** A pair of an event of a clip and a hit. */
type Pair = { isCopy: boolean; similarity: number };

const roles = ['chosen on', 'other clips'] as const;
const uploads = await Promise.all(roles.map((_, i) => readClips(path.resolve(positionals[i] ?? '.'))));
console.log("| embedder | clips | events searched by | copies shown beside it | other clips' dropped |");
console.log('| --- | --- | --- | --- | --- |');
const distributions = new Map<string, Pair[][]>();
for (const embedder of values.embedder) {
  for (const [i, role] of roles.entries()) {
    const { used, pairs, cells } = await measure(embedder, uploads[i] as Uploaded[]);
    console.log(`| \`${used}\` | ${role} | ${cells.join(' | ')} |`);
    distributions.set(used, [...(distributions.get(used) ?? []), pairs]);
  }
}

/** Uploads clips with their copies and searches by each event of the originals. */
async function measure(embedder: string, files: Uploaded[]): Promise<{ used: string; pairs: Pair[]; cells: string[] }> {
  await using service = await startTestService({ embedder, workers: 2 });
  const { client } = service;
  const items = new Map<string, Uploaded>();
  for (const entry of files) items.set((await client.upload(entry.file)).data.id, entry);
  for (const id of items.keys()) await waitForItem(client, id);
  const used = (await client.get<{ embedder: { id: string } }>('/workspace')).data.embedder.id;

  let events = 0;
  let expected = 0;
  let wronglyDropped = 0;
  const shown = new Map<string, number>();
  const pairs: Pair[] = [];
  for (const [id, { clip, how }] of items) {
    if (how !== 'original') continue;
    const { data: chunks } = await client.get<Span[]>(`/media/${id}/chunks?per_page=100`);
    for (const chunk of chunks) {
      events += 1;
      /** Half of a chunk in common makes a hit the same event. */
      const isSameEvent = (hit: SearchHit) => {
        const entry = items.get(hit.id);
        const begin = Math.max(hit.start + (entry?.from ?? 0), chunk.start);
        const common = Math.min(hit.end + (entry?.from ?? 0), chunk.end) - begin;
        return entry?.clip === clip && common > (chunk.end - chunk.start) / 2;
      };
      const search = (n: number, dedupe: boolean) =>
        client.post<SearchHit[]>('/media/search/image', { media_id: id, chunk_id: chunk.id, n, dedupe });
      for (const hit of (await search(20, true)).data) {
        const entry = items.get(hit.id);
        if (isSameEvent(hit) && hit.id !== id) shown.set(entry?.how ?? '', (shown.get(entry?.how ?? '') ?? 0) + 1);
        for (const duplicate of hit.duplicates ?? []) {
          if (items.get(duplicate.id)?.clip === entry?.clip) expected += 1;
          else wronglyDropped += 1;
        }
      }
      for (const hit of (await search(100, false)).data) {
        const isCopy = isSameEvent(hit);
        const isOther = items.get(hit.id)?.clip !== clip;
        if (hit.id === id || (!isCopy && !isOther)) continue;
        pairs.push({ isCopy, similarity: hit.signals.visual ?? 0 });
      }
    }
  }
  const each = Object.keys(copies).map((how) => `${how} ${shown.get(how) ?? 0}`);
  expectQuality([
    {
      name: `${used}: dropped hits that are copies`,
      value: expected / Math.max(1, wronglyDropped + expected),
      least: 0.98,
    },
  ]);
  const dropped = `${wronglyDropped} (of ${wronglyDropped + expected} dropped)`;
  return { used, pairs, cells: [String(events), each.join(', '), dropped] };
}

console.log(
  '\n| embedder | threshold | copies, chosen on | of other clips | different clips, chosen on | of other clips |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [used, pairs] of distributions) {
  for (let threshold = 0.7; threshold < 0.99; threshold += 0.01) {
    const shareAbove = (isCopy: boolean, some: Pair[]) => {
      const like = some.filter((pair) => pair.isCopy === isCopy);
      return (like.filter(({ similarity }) => similarity >= threshold).length / like.length).toFixed(4);
    };
    const cells = [true, false].flatMap((isCopy) => pairs.map((some) => shareAbove(isCopy, some)));
    console.log(`| \`${used}\` | ${threshold.toFixed(2)} | ${cells.join(' | ')} |`);
  }
}
