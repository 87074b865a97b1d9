import sharp from 'sharp';
import { expect, test } from 'vitest';
import { findDate } from './file-tags.ts';
import { readImageTags } from './read-image-tags.ts';
import { readXmp } from './read-xmp.ts';
import { makePhoto, plain } from './samples/draw-media.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const wrap = (attributes: string, children = '') => `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
    xmlns:MicrosoftPhoto="http://ns.microsoft.com/photo/1.0/" ${attributes}>${children}</rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;

/** As Lightroom and darktable write a sidecar. */
const sidecar = wrap(
  `xmp:Rating="4" MicrosoftPhoto:Rating="75" xmp:CreateDate="2026-07-14T21:12:08+02:00" exif:GPSLatitude="53,32.754N" exif:GPSLongitude="9,58,10W"
    photoshop:City="Hamburg" photoshop:Country="Germany"`,
  `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Ships &amp; cranes</rdf:li></rdf:Alt></dc:title>
   <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Evening at the harbour</rdf:li><rdf:li xml:lang="de">Abend</rdf:li></rdf:Alt></dc:description>
   <dc:subject><rdf:Bag><rdf:li>ship</rdf:li><rdf:li>größe</rdf:li><rdf:li> </rdf:li></rdf:Bag></dc:subject>`,
);

test('a sidecar says rating, title, description, keywords, place, position and date', () => {
  const tags = readXmp(sidecar);
  expect(tags).toMatchObject({
    rating: 4,
    title: 'Ships & cranes',
    description: 'Evening at the harbour',
    keywords: ['ship', 'größe'],
    latitude: expect.closeTo(53.5459, 6) as number,
    longitude: expect.closeTo(-(9 + 58 / 60 + 10 / 3600), 6) as number,
    place: 'Hamburg, Germany',
  });
  expect(findDate(tags.dates)).toMatchObject({ takenAt: '2026-07-14T19:12:08.000Z', takenSource: 'XMP CreateDate' });
});

test('values as elements are read as those in attributes, with and without a declaration of XML', () => {
  const element = wrap(
    '',
    '<xmp:Rating>5</xmp:Rating><dc:subject><rdf:Seq><rdf:li>one</rdf:li></rdf:Seq></dc:subject>',
  );
  expect(readXmp(element)).toMatchObject({ rating: 5, keywords: ['one'] });
  const declared = `<?xml version="1.0" encoding="UTF-8"?>\n${sidecar.slice(sidecar.indexOf('<x:xmpmeta'))}`;
  expect(readXmp(declared)).toEqual(readXmp(sidecar));
});

test.each(['-1', '0', '6', '3.5', 'five', ''])('a rating of %s is none', (rating) => {
  expect(readXmp(wrap(`xmp:Rating="${rating}"`)).rating).toBeNull();
});

test('positions that are none are left out, both degrees', () => {
  for (const [latitude, longitude] of [
    ['91,0.0N', '9,0.0E'],
    ['53,32.7N', '9,58.1N'],
    ['53.5', '9.9'],
    ['', '9,0.0E'],
  ])
    expect(readXmp(wrap(`exif:GPSLatitude="${latitude}" exif:GPSLongitude="${longitude}"`))).toMatchObject({
      latitude: null,
      longitude: null,
    });
});

test('what strangers write is bounded: entities, document types, depth, length and what is no XML say nothing', () => {
  const lol = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
  const hostile = [
    `<!DOCTYPE x [<!ENTITY l0 "lol">${lol}]>${wrap('', '<dc:title>&l9;</dc:title>')}`,
    `<!DOCTYPE x SYSTEM "file:///etc/passwd">${wrap('xmp:Rating="5"')}`,
    wrap('xmp:Rating="5"', '<a>'.repeat(300_000)),
    wrap('xmp:Rating="5"', ' '.repeat(2 ** 20)),
    wrap('xmp:Rating="5"', '<a>'.repeat(50_000) + '</a>'.repeat(50_000)).slice(0, 2 ** 20),
    `<x>${'<?xpacket end'.repeat(80_000)}>`,
    wrap('xmp:Rating="5"', ('<a>'.repeat(90) + '</a>'.repeat(90)).repeat(1300)),
    sidecar.slice(0, -200),
    'no XML',
    '<',
    '',
  ];
  for (const [i, text] of hostile.entries()) {
    const begin = performance.now();
    const { rating, title } = readXmp(text);
    expect({ rating, title }, String(i)).toEqual({ rating: null, title: null });
    expect(performance.now() - begin, String(i)).toBeLessThan(3000);
  }
  const many = wrap('', `<dc:subject><rdf:Bag>${'<rdf:li>word</rdf:li>'.repeat(5000)}</rdf:Bag></dc:subject>`);
  expect(readXmp(many).keywords).toHaveLength(100);
  expect(readXmp(wrap('', `<dc:title>${'x'.repeat(5000)}</dc:title>`)).title).toHaveLength(200);
  expect(readXmp(wrap('', '<dc:__proto__>x</dc:__proto__><dc:title>t</dc:title>')).title).toBe('t');
});

test('XMP in a picture counts behind what its EXIF says, and is found by words', async () => {
  await using folder = await temporaryFolder();
  await makePhoto(folder.file('plain.png'), plain(10, 20, 30));
  const file = folder.file('photo.jpg');
  const exif = {
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '1/1 0/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '2/1 0/1 0/1' },
  };
  await sharp(folder.file('plain.png')).withXmp(sidecar).toFile(file);
  expect(await readImageTags(file, 'image/jpeg')).toMatchObject({
    rating: 4,
    tags: 'Ships & cranes\nEvening at the harbour\nship\ngröße',
    recording: { latitude: expect.closeTo(53.5459, 6) as number, place: 'Hamburg, Germany' },
  });
  await sharp(folder.file('plain.png')).withExif(exif).withXmp(sidecar).toFile(file);
  expect((await readImageTags(file, 'image/jpeg')).recording).toMatchObject({ latitude: 1, longitude: 2 });
  await sharp(folder.file('plain.png')).toFile(file);
  expect(await readImageTags(file, 'image/jpeg')).toMatchObject({ rating: null, tags: '' });
});
