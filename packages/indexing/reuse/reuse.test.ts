import { describe, expect, test } from 'vitest';
import { drawImage, type Paint, plain } from '../../media/samples/draw-media.ts';
import { scenery } from '../../media/testing/draw-scenery.ts';
import { alignFingerprints } from './align.ts';
import { encodeFingerprint, framesPerSecond, openFingerprint } from './fingerprint.ts';
import { correlate } from './frame-descriptor.ts';
import { createFingerprinter, fingerprintPhoto } from './make-fingerprint.ts';
import { relate, turnRelation } from './relate.ts';

type Shot = { paint: Paint; seconds: number };

/** Scenery that moves so quickly that a second is told from the next. */
const lively =
  (number: number): Paint =>
  (x, y, time) =>
    scenery(number)(x, y, 4 * time);

const shot = (number: number, seconds = 5): Shot => ({ paint: lively(number), seconds });

/** The fingerprint of shots as it is stored, and where its moments are. */
function filmOf(shots: Shot[]) {
  const fingerprinter = createFingerprinter();
  const moments: { start: number; end: number }[] = [];
  let start = 0;
  for (const { paint, seconds } of shots) {
    for (let time = 0; time < seconds; time += 0.25) {
      fingerprinter.add({ time: start + time, image: drawImage(paint, 96, 54, time) });
    }
    moments.push({ start, end: start + seconds });
    start += seconds;
  }
  const bytes = encodeFingerprint(fingerprinter.finish());
  return { bytes, fingerprint: openFingerprint(bytes), moments, duration: start, width: 96, height: 54 };
}

type Film = ReturnType<typeof filmOf>;

/** How the second of two films relates to the first, where all of their moments look alike. */
function compare(a: Film, b: Film) {
  const candidates = a.moments.flatMap((here) => b.moments.map((there) => ({ a: here, b: there })));
  return relate(alignFingerprints(a.fingerprint, b.fingerprint, candidates), a, b);
}

const film = filmOf([shot(1), shot(2), shot(3)]);

test('a film is the same as itself, and a fingerprint has 200 bytes a second', () => {
  expect(compare(film, film)).toMatchObject({ kind: 'same', spans: [{ speed: 1, mirrored: false, cropped: 0 }] });
  expect(film.bytes.length / film.duration).toBeLessThanOrEqual(200);
});

test('a part of a film is found where it is, and the other way round', () => {
  const part = filmOf([shot(11, 3), { paint: (x, y, time) => lively(2)(x, y, time + 1), seconds: 4 }, shot(12, 3)]);
  const found = compare(film, part);
  expect(found?.kind).toBe('overlaps');
  const [span] = found?.spans ?? [];
  for (const [value, second] of [
    [span?.a.start, 6],
    [span?.a.end, 10],
    [span?.b.start, 3],
    [span?.b.end, 7],
  ] as const)
    expect(Math.abs((value as number) - second)).toBeLessThanOrEqual(0.5);
  expect(compare(filmOf([shot(2)]), film)?.kind).toBe('contains');
  expect(compare(film, filmOf([shot(2)]))?.kind).toBe('contained_in');
});

test('speed, mirrored and cropped pictures are versions, and say what differs', () => {
  const change = (paint: (paint: Paint) => Paint, by = 1) =>
    filmOf([1, 2, 3].map((number) => ({ paint: paint(lively(number)), seconds: 5 / by })));
  const faster = change((paint) => (x, y, time) => paint(x, y, 1.25 * time), 1.25);
  expect(compare(film, faster)).toMatchObject({
    kind: 'version',
    spans: [{ speed: expect.closeTo(0.8, 1) as number }],
  });
  const mirrored = change((paint) => (x, y, time) => paint(1 - x, y, time));
  expect(compare(film, mirrored)).toMatchObject({ kind: 'version', spans: [{ mirrored: true, speed: 1 }] });
  const cropped = change((paint) => (x, y, time) => paint(0.2 + 0.7 * x, 0.1 + 0.7 * y, time));
  const found = compare(film, cropped);
  expect(found).toMatchObject({ kind: 'version', spans: [{ mirrored: false }] });
  expect(found?.spans[0]?.cropped).toBeCloseTo(0.51, 1);
  const darker = change(
    (paint) => (x, y, time) => paint(x, y, time).map((value) => 255 * (value / 255) ** 1.6) as [number, number, number],
  );
  expect(compare(film, darker)?.spans[0]?.speed).toBe(1);
});

/** Something that moves before a place that stands still. */
const inFront =
  (speed: number): Paint =>
  (x, y, time) =>
    Math.hypot(x - (0.5 + 0.4 * Math.sin(speed * time)), y - (0.5 + 0.3 * Math.cos(speed * 1.7 * time))) < 0.22
      ? [250, 240, 230]
      : scenery(2)(x, y, 0);

test.each([
  [4, 1.25],
  [2, 1.125],
])('what moves at %d radians a second is found in a copy that begins %d s later', (speed, offset) => {
  const later: Paint = (x, y, time) => inFront(speed)(x, y, time + offset);
  const [film, copy] = [filmOf([{ paint: inFront(speed), seconds: 9 }]), filmOf([{ paint: later, seconds: 7 }])];
  const [found, turned] = [compare(film, copy), compare(copy, film)];
  const nearlyOne = expect.closeTo(1, 1) as number;
  expect(found).toMatchObject({ kind: 'contained_in', spans: [{ speed: nearlyOne, cropped: 0 }] });
  expect(turned).toMatchObject({ kind: 'contains', spans: [{ speed: nearlyOne, cropped: 0 }] });
  expect(Math.abs((found?.spans[0]?.a.start ?? 0) - offset)).toBeLessThanOrEqual(0.25);
});

test('which of two items is compared with the other says nothing else of them', () => {
  const [film, cut] = [9, 7].map((seconds, i) =>
    filmOf([{ paint: (x, y, time) => lively(3)(x, y, time + i), seconds }]),
  ) as [Film, Film];
  expect([compare(film, cut)?.kind, compare(cut, film)?.kind]).toEqual(['contained_in', 'contains']);
});

test('a red scene after one with bars has none', () => {
  const boxed: Paint = (x, y, time) => (x < 0.125 || x >= 0.875 ? [0, 0, 0] : lively(5)(x, y, time));
  const red: Paint = (x, y, time) => [lively(6)(x, y, time)[0], 0, 0];
  const { fingerprint } = filmOf([
    { paint: boxed, seconds: 3 },
    { paint: red, seconds: 3 },
  ]);
  const alone = filmOf([{ paint: red, seconds: 3 }]).fingerprint;
  expect(correlate(fingerprint.at(4 * framesPerSecond)!.cells, alone.at(framesPerSecond)!.cells)).toBeCloseTo(1, 2);
});

test('the border of a dark scene is where it was before, as long as nothing changes there', () => {
  /** In the third to the sixth second the light falls off towards the sides of the scene. */
  const dim: Paint = (x, y, time) => {
    const light = time >= 2 && time < 6 ? Math.max(0, 1 - 2.2 * Math.hypot(x - 0.5, y - 0.5)) : 1;
    return lively(5)(x, y, time).map((value) => light * value) as [number, number, number];
  };
  const between =
    (paint: Paint): Paint =>
    (x, y, time) =>
      x < 0.125 || x >= 0.875 ? [0, 0, 0] : paint((x - 0.125) / 0.75, y, time);
  const [plainFilm, boxed] = [filmOf([{ paint: dim, seconds: 8 }]), filmOf([{ paint: between(dim), seconds: 8 }])];
  for (const second of [0.5, 2.5, 3.5, 4.5, 5.5, 7.5]) {
    const [frame, other] = [plainFilm, boxed].map(({ fingerprint }) => fingerprint.at(second * framesPerSecond)?.cells);
    expect([second, correlate(frame!, other!)]).toEqual([second, expect.closeTo(1, 1) as number]);
  }
});

describe('what is no reuse', () => {
  test('other footage', () => {
    expect(compare(film, filmOf([shot(21), shot(22), shot(23)]))).toBeNull();
  });

  test('the same place from the same camera, where something else happens', () => {
    const [one, other] = [0.9, 2.3].map((speed) => filmOf([{ paint: inFront(speed), seconds: 12 }])) as [Film, Film];
    expect(compare(one, one)?.kind).toBe('same');
    expect(compare(one, other)).toBeNull();
  });

  test('black and title cards', () => {
    const card: Paint = (x, y) => (Math.abs(y - 0.5) < 0.1 && x % 0.1 < 0.05 ? [255, 255, 255] : [20, 30, 60]);
    const cards = [plain(0, 0, 0), card].map((paint) => ({ paint, seconds: 5 }));
    const { fingerprint } = filmOf(cards);
    expect(
      Array.from({ length: fingerprint.length }, (_, at) => fingerprint.at(at)).every((frame) => frame === null),
    ).toBe(true);
    expect(compare(filmOf([...cards, shot(31)]), filmOf([...cards, shot(32)]))).toBeNull();
  });

  test('an intro of two films, but not a film that is one', () => {
    const [one, other] = [filmOf([shot(9, 4), shot(41, 8)]), filmOf([shot(9, 4), shot(42, 8)])];
    expect(compare(one, other)).toBeNull();
    expect(compare(filmOf([shot(9, 4), shot(41, 3.5)]), filmOf([shot(9, 4), shot(42, 8)]))).toBeNull();
    expect(compare(filmOf([shot(9, 4)]), one)?.kind).toBe('contains');
  });
});

test('a photograph is found in a film, cropped in another one, and not in what is another picture', () => {
  const photo = (paint: Paint) => {
    const fingerprint = openFingerprint(encodeFingerprint(fingerprintPhoto(drawImage(paint, 96, 54, 2))));
    return { fingerprint, moments: [{ start: 0, end: 0 }], duration: null, width: 96, height: 54 };
  };
  const [still, other] = [photo(lively(2)), photo(scenery(77))];
  const compareAny = (a: Omit<Film, 'duration' | 'bytes'> & { duration: number | null }, b: typeof a) =>
    relate(
      alignFingerprints(
        a.fingerprint,
        b.fingerprint,
        a.moments.flatMap((here) => b.moments.map((there) => ({ a: here, b: there }))),
      ),
      a,
      b,
    );
  const inFilm = compareAny(still, film);
  expect(inFilm).toMatchObject({ kind: 'contains', spans: [{ a: { start: 0, end: 0 } }] });
  expect(Math.abs((inFilm?.spans[0]?.b.start ?? 0) - 7)).toBeLessThan(1.5);
  expect(compareAny(other, film)).toBeNull();
  const cropped = photo((x, y, time) => lively(2)(0.1 + 0.8 * x, 0.1 + 0.8 * y, time));
  expect(compareAny(still, cropped)).toMatchObject({ kind: 'version' });
  expect(compareAny(still, other)).toBeNull();
});

test('a fixed camera over an even ground is found by what moves there', () => {
  /** A car of some shades that drives over a road, here and there. */
  const road =
    (number: number): Paint =>
    (x, y, time) => {
      const [along, across] = [
        (x - 0.35 - 0.3 * Math.sin(0.9 * time + number)) / 0.3,
        (y - 0.1 - 0.08 * (number % 7)) / 0.3,
      ];
      const isCar = along > 0 && along < 1 && across > 0 && across < 1;
      const light = isCar ? 12 * Math.floor(9 * (along + across)) : 100 + 2 * y;
      return [light, light, light];
    };
  const one = filmOf([{ paint: road(1), seconds: 8 }]);
  expect(compare(one, filmOf([{ paint: road(1), seconds: 5 }]))?.kind).toBe('contained_in');
  expect(compare(one, filmOf([{ paint: road(4), seconds: 8 }]))).toBeNull();
});

test('what neither film shows anything in belongs to what is the same around it', () => {
  const empty = 8;
  /** A road that is empty but for some seconds, in which a car drives to and fro. */
  const road =
    (speed: number): Paint =>
    (x, y, time) => {
      const along = (x - 0.35 - 0.3 * Math.sin(speed * time)) / 0.3;
      const isCar = time < 3 && along > 0 && along < 1 && y > 0.3 && y < 0.6;
      const light = isCar ? 12 * Math.floor(14 * (along + y - 0.3)) : 100 + 2 * y;
      return [light, light, light];
    };
  const drive = (seconds: number, speed = 0.9) => filmOf([{ paint: road(speed), seconds }]);
  const [whole, part] = [drive(3 + 2 * empty), drive(3 + empty)];
  const found = compare(whole, part);
  expect(found?.kind).toBe('contained_in');
  expect(found?.spans[0]?.a.end).toBeGreaterThan(2 + empty);
  // Something else drives there.
  expect(compare(whole, drive(3 + empty, 2.3))).toBeNull();
});

test('a relation that is turned says the same of the other item', () => {
  const span = { a: { start: 1, end: 6 }, b: { start: 2, end: 6 }, speed: 0.8, mirrored: true, cropped: 0, score: 0.9 };
  expect(turnRelation({ kind: 'contains', spans: [span], score: 0.9 })).toEqual({
    kind: 'contained_in',
    spans: [{ ...span, a: span.b, b: span.a, speed: 1.25 }],
    score: 0.9,
  });
});
