import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { gatherMaps } from './gather-maps.ts';

test('several are kept', () => {
  expect(gatherMaps('/data=/mnt/nas', gatherMaps('/bucket=s3://footage/2026'))).toEqual([
    { from: '/bucket', to: 's3://footage/2026' },
    { from: '/data', to: '/mnt/nas' },
  ]);
});

test.for(['/data', '=/mnt', '/data=', '/a=/b=/c'])('%s is no mapping', (text) => {
  expect(() => gatherMaps(text)).toThrow(InvalidArgumentError);
});
