import { InvalidArgumentError } from 'commander';
import type { PathMap } from '../../../contract/map-path.ts';

/** Reads a value of `--map`, which may be given several times. */
export function gatherMaps(text: string, before: PathMap[] = []): PathMap[] {
  const [from = '', to = '', ...more] = text.split('=');
  if (from === '' || to === '' || more.length > 0)
    throw new InvalidArgumentError('It looks like /folder/in/immich=/folder/of/the/service.');
  return [...before, { from, to }];
}
