import { expect, test } from 'vitest';
import { parseBox } from '../../../contract/positions.ts';
import { around, readView, writeBox, writeView } from './map-area.ts';

test('a view is written and read again; what is none is left out', () => {
  const view = { latitude: 53.5459, longitude: -9.9695, zoom: 12 };
  expect(readView(writeView(view))).toEqual(view);
  for (const wrong of [null, '', '91,0,3', '0,181,3', '0,0,19', '0,0', 'a,b,c', '0,0,1.5'])
    expect(readView(wrong)).toBeNull();
});

test('a box ends at the edges of the map, and is one that the API takes', () => {
  expect(writeBox({ south: -95, west: -190, north: 95, east: 190 })).toBe('-90,-180,90,180');
  const point = { south: 53.54594, west: 9.96946, north: 53.54594, east: 9.96946 };
  const box = parseBox(writeBox(around(point)));
  expect(box).not.toBeNull();
  expect((box?.south ?? 90) < point.south && point.north < (box?.north ?? 0)).toBe(true);
});
