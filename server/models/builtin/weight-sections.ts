import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const bytesPerValue = { int8: 1, float16: 2, float32: 4 };

/** The description of the text tower's weights, `text.json`: sizes, and the sections of `text.bin` in order. */
const descriptionSchema = z.object({
  dimensions: z.int().positive(),
  width: z.int().positive(),
  hidden: z.int().positive(),
  vocabulary: z.int().positive(),
  manyFactor: z.number().positive(),
  sections: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['int8', 'float16', 'float32']),
      shape: z.array(z.int().positive()).min(1),
    }),
  ),
});
type TextWeightsDescription = z.output<typeof descriptionSchema>;
type Section = TextWeightsDescription['sections'][number];

/** Weights of a name and a shape, as they are stored or as numbers. */
export type WeightSections = {
  description: TextWeightsDescription;
  /** Stored signed bytes, not copied. Throws for another type or shape. */
  bytes(name: string, ...shape: number[]): Int8Array;
  /** Numbers of either precision. Throws for another type or shape. */
  floats(name: string, ...shape: number[]): Float32Array;
};

/** Reads `text.json` and `text.bin` of a folder: sections one after the other, each from a multiple of four bytes on. */
export async function readWeightSections(folder: string): Promise<WeightSections> {
  const description = descriptionSchema.parse(JSON.parse(await readFile(path.join(folder, 'text.json'), 'utf8')));
  const { buffer, byteOffset, byteLength } = await readFile(path.join(folder, 'text.bin'));
  const places = new Map<string, { section: Section; at: number; count: number }>();
  let at = 0;
  for (const section of description.sections) {
    const count = section.shape.reduce((product, size) => product * size, 1);
    places.set(section.name, { section, at: byteOffset + at, count });
    at += Math.ceil((count * bytesPerValue[section.type]) / 4) * 4;
  }
  if (at !== byteLength) throw new Error(`${folder}/text.bin has ${byteLength} bytes, its description says ${at}.`);

  function find(name: string, shape: number[]) {
    const place = places.get(name);
    if (!place || place.section.shape.join() !== shape.join()) {
      throw new Error(`${folder}/text.json has no section ${name} of the shape ${shape.join(' × ')}.`);
    }
    return place;
  }
  return {
    description,
    bytes(name, ...shape) {
      const { section, at, count } = find(name, shape);
      if (section.type !== 'int8') throw new Error(`The section ${name} has the type ${section.type}.`);
      return new Int8Array(buffer, at, count);
    },
    floats(name, ...shape) {
      const { section, at, count } = find(name, shape);
      if (section.type === 'int8') throw new Error(`The section ${name} has no numbers with a fraction.`);
      return section.type === 'float32'
        ? new Float32Array(buffer, at, count)
        : Float32Array.from(new Float16Array(buffer, at, count));
    },
  };
}
