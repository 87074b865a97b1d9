import {
  AVCOL_PRI_BT2020,
  AVCOL_PRI_SMPTE431,
  AVCOL_PRI_SMPTE432,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT709,
  AVCOL_SPC_ICTCP,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants';
import type { CodecParameters } from 'node-av/lib';
import type { Orientation, ProbedVideo } from './probe-video.ts';

type Size = { width: number; height: number };

/** Luminance of diffuse white in HDR, cd/m² (ITU-R BT.2408), and of the brightest that is kept apart from it. */
const diffuseWhite = 203;
const peakWhite = 1000;

/**
 * Description of a filter graph that turns decoded frames into upright images with square pixels in the colours of BT.709: packed RGB
 * for embedders and thumbnails, or the YCbCr that every H.264 decoder takes.
 * @param flags of FFmpeg's scaler
 */
export function describeFilterGraph(
  { video, orientation }: Pick<ProbedVideo, 'video' | 'orientation'>,
  { width, height }: Size,
  pixelFormat: 'rgb24' | 'yuv420p',
  flags: string,
): string {
  const scale = `scale=${width}:${height}:flags=${flags}`;
  const conversion = describeColourConversion(video.codecpar);
  return [
    ...describeColourMatrix(video.codecpar),
    ...describeOrientation(orientation),
    ...(conversion
      ? [scale, ...conversion]
      : [pixelFormat === 'rgb24' ? scale : `${scale}:out_color_matrix=bt709:out_range=tv`]),
    'setsar=1',
    ...(conversion && pixelFormat === 'rgb24' ? ['format=gbrp'] : []),
    `format=${pixelFormat}`,
    ...(pixelFormat === 'rgb24'
      ? []
      : // What described the source is not true of the output: mastering display, content light level, display matrix.
        ['sidedata=mode=delete', 'setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv']),
  ].join(',');
}

/** A matrix that the file does not name is guessed as browsers do: by the height. */
function describeColourMatrix({ colorSpace, height }: CodecParameters): string[] {
  if (colorSpace !== AVCOL_SPC_UNSPECIFIED) return [];
  return [`setparams=colorspace=${height < 720 ? 'smpte170m' : 'bt709'}`];
}

/** Start of a filter graph that sets images upright. */
function describeOrientation({ mirrored, rotation }: Orientation): string[] {
  const turns = { 0: [], 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] };
  return [...(mirrored ? ['hflip'] : []), ...turns[rotation]];
}

/**
 * From HDR (PQ and HLG, ITU-R BT.2100) and wide gamuts to BT.709: in linear light with diffuse white at 1, primaries converted, and
 * highlights rolled off; what is darker than a third of white keeps its luminance. Null for what is in BT.709's gamut already.
 */
function describeColourConversion(codecpar: CodecParameters): string[] | null {
  const { colorTrc, colorPrimaries, colorSpace, colorRange } = codecpar;
  const hdr = hdrTransfers.get(colorTrc);
  const wide = widePrimaries.get(colorPrimaries) ?? (hdr ? '2020' : undefined);
  if (wide === undefined) return null;
  return [
    'format=yuv444p16le',
    [
      `zscale=transferin=${hdr ?? '709'}`,
      `primariesin=${wide}`,
      `matrixin=${matrixNames.get(colorSpace) ?? (wide === '2020' ? '2020_ncl' : '709')}`,
      `rangein=${colorRange === AVCOL_RANGE_JPEG ? 'full' : 'limited'}`,
      `transfer=linear:npl=${diffuseWhite}`,
    ].join(':'),
    'format=gbrpf32le',
    'zscale=primaries=709',
    ...(hdr ? [`tonemap=mobius:param=0.3:desat=0:peak=${peakWhite / diffuseWhite}`] : []),
    'zscale=transfer=709:matrix=709:range=limited',
  ];
}

const hdrTransfers = new Map<number, string>([
  [AVCOL_TRC_SMPTE2084, 'smpte2084'],
  [AVCOL_TRC_ARIB_STD_B67, 'arib-std-b67'],
]);

const widePrimaries = new Map<number, string>([
  [AVCOL_PRI_BT2020, '2020'],
  [AVCOL_PRI_SMPTE431, 'smpte431'],
  [AVCOL_PRI_SMPTE432, 'smpte432'],
]);

const matrixNames = new Map<number, string>([
  [AVCOL_SPC_BT709, '709'],
  [AVCOL_SPC_BT2020_CL, '2020_cl'],
  [AVCOL_SPC_ICTCP, 'ictcp'],
]);
