import { featureNames } from './features.ts';

/**
 * Mean and standard deviation of each feature over some 160 photographs of everyday things and some 130 chunks of video of
 * mixed kinds, motion over the latter only. Features are measured against these.
 */
const measured = `
black.whole 0.364 0.249
white.whole 0.24 0.168
grey.whole 0.56 0.225
red.whole 0.0876 0.135
orange.whole 0.0365 0.0602
brown.whole 0.362 0.226
yellow.whole 0.053 0.0948
green.whole 0.181 0.195
blue.whole 0.175 0.173
purple.whole 0.049 0.0775
pink.whole 0.0895 0.0743
black.top 0.344 0.272
white.top 0.245 0.207
grey.top 0.553 0.246
red.top 0.0721 0.139
orange.top 0.0245 0.0503
brown.top 0.311 0.231
yellow.top 0.0448 0.091
green.top 0.17 0.204
blue.top 0.189 0.214
purple.top 0.0484 0.0843
pink.top 0.0854 0.0821
black.bottom 0.363 0.27
white.bottom 0.194 0.185
grey.bottom 0.535 0.258
red.bottom 0.0786 0.138
orange.bottom 0.035 0.0628
brown.bottom 0.38 0.269
yellow.bottom 0.0451 0.0946
green.bottom 0.177 0.214
blue.bottom 0.132 0.151
purple.bottom 0.0424 0.077
pink.bottom 0.0797 0.0755
black.centre 0.337 0.24
white.centre 0.213 0.142
grey.centre 0.576 0.236
red.centre 0.0912 0.154
orange.centre 0.0408 0.0845
brown.centre 0.375 0.237
yellow.centre 0.0616 0.129
green.centre 0.164 0.183
blue.centre 0.167 0.184
purple.centre 0.047 0.0786
pink.centre 0.1 0.0901
black.border 0.366 0.263
white.border 0.24 0.187
grey.border 0.549 0.234
red.border 0.0795 0.133
orange.border 0.0321 0.0515
brown.border 0.353 0.23
yellow.border 0.0461 0.083
green.border 0.182 0.203
blue.border 0.172 0.175
purple.border 0.048 0.0787
pink.border 0.083 0.0717
brightness 45.3 18
brightness.top 47.3 21.1
brightness.bottom 43.1 19.3
brightness.centre 45.9 16
brightness.border 45.1 19.7
dark share 0.276 0.277
bright share 0.134 0.168
contrast 20.3 7.02
colourfulness 42.7 40.2
greyness 0.215 0.247
warmth 9.62 13.4
sharpness -0.402 0.74
busyness 0.668 0.19
busyness.border 0.637 0.21
edge.vertical 0.299 0.0998
edge.horizontal 0.336 0.119
edge.rising 0.229 0.0843
edge.falling 0.229 0.0847
edge.unordered 0.348 0.126
edge.vertical.top 0.284 0.11
edge.horizontal.top 0.311 0.139
edge.rising.top 0.216 0.0971
edge.falling.top 0.218 0.0965
edge.unordered.top 0.323 0.144
edge.vertical.bottom 0.305 0.113
edge.horizontal.bottom 0.349 0.125
edge.rising.bottom 0.235 0.0879
edge.falling.bottom 0.234 0.0881
edge.unordered.bottom 0.362 0.132
motion 0.621 0.561
change 0.933 0.63
left 0.103 0.274
right 0.122 0.214
up 0.0986 0.205
down 0.125 0.273
`;

/** In the order of `featureNames`. */
export const featureStatistics: readonly { mean: number; deviation: number }[] = read();

function read(): { mean: number; deviation: number }[] {
  const rows = measured.trim().split('\n');
  const byName = new Map(
    rows.map((row) => {
      const [, name, mean, deviation] = /^(.*) (\S+) (\S+)$/.exec(row) ?? [];
      return [name, { mean: Number(mean), deviation: Number(deviation) }];
    }),
  );
  return featureNames.map((name) => {
    const statistics = byName.get(name);
    if (!statistics) throw new Error(`The feature ${name} was not measured.`);
    return statistics;
  });
}
