import { expect, test } from 'vitest';
import { splitFilenameIntoWords } from './store-indexed-media.ts';

test.each([
  ['RedCar_02.mp4', 'Red Car 02'],
  ['IMG2034.HEIC', 'IMG 2034'],
  ['summer-holiday (3).tar.gz', 'summer holiday 3 tar'],
  ['ÉtéÀParis.mov', 'Été ÀParis'],
  ['noextension', 'noextension'],
])('the words of %s are "%s"', (filename, words) => expect(splitFilenameIntoWords(filename)).toBe(words));
