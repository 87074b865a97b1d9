import { copyFile, constants } from 'node:fs/promises';
import { sampleFile, samples } from '@media-search/media/samples/samples';
import { StartupError } from '../../errors/startup-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';

/** `admin sample`: copies a sample clip or photograph to a new file. Throws `StartupError` for an unknown name, or when the file exists. */
export async function writeSample(name: string, file: string): Promise<void> {
  const sample = samples.find((each) => each.name === name);
  if (sample === undefined) {
    throw new StartupError(`There is no sample ${name}. There are: ${samples.map((each) => each.name).join(', ')}.`);
  }
  await copyFile(sampleFile(sample.name), file, constants.COPYFILE_EXCL).catch((error: unknown) => {
    if (hasErrorCode(error, 'EEXIST')) throw new StartupError(`${file} exists already.`);
    throw new StartupError(`${file} cannot be written.`, { cause: error });
  });
}
