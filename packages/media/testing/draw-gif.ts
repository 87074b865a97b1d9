/** A GIF of single pixels that change, each shown for 10 ms: frames of a few bytes that are decoded as a whole. */
export function drawGif(count: number, side = 64): Buffer {
  const head = Buffer.from([...Buffer.from('GIF89a'), 0, 0, 0, 0, 0xf0, 0, 0, 255, 0, 0, 0, 0, 255]);
  head.writeUInt16LE(side, 6);
  head.writeUInt16LE(side, 8);
  const frame = (i: number) =>
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, i % 64, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([head, ...Array.from({ length: count }, (_, i) => frame(i)), Buffer.from([0x3b])]);
}
