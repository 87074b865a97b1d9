import { existsSync } from 'node:fs';
import { drawSample } from '@media-search/media/samples/sample-media';
import { sampleNames } from '@media-search/media/samples/sample-names';
import { StartupError } from '../../errors/startup-error.ts';

/** `admin sample`: draws a sample clip or image into a new file. Throws `StartupError` for an unknown name, or when the file exists. */
export async function writeSample(name: string, file: string): Promise<void> {
  const sample = sampleNames.find((each) => each === name);
  if (sample === undefined) throw new StartupError(`There is no sample ${name}. There are: ${sampleNames.join(', ')}.`);
  if (existsSync(file)) throw new StartupError(`${file} exists already.`);
  await drawSample[sample](file).catch((error: unknown) => {
    throw new StartupError(`${file} cannot be written.`, { cause: error });
  });
}
