import { type Clip, listClips, readClipSheet } from '../../api/generated/api/index.ts';

/** A picture, where it lies in its source. */
export type MapPicture = { source: CanvasImageSource; left: number; top: number; width: number; height: number };

/** Pixels of a square of a sheet, squares to a row, and pictures on a sheet, as the service makes them. */
const tile = 64;
const perRow = 10;
const perSheet = 100;
/** Sheets kept for as long as the page is open; each takes 1.6 MB. */
const maxSheets = 120;
/** Requests at the same time. */
const maxAtOnce = 3;
/** Whole pictures that are loaded for one view: there is no room for more of that size. */
const maxSharp = 60;
/** Corners of a small picture, of its pixels. */
const corner = 10;

/** Small pictures by chunk, of all maps: a picture never changes. The sheet that was asked for first is the first to go. */
const small = new Map<string, MapPicture>();
const sheets: string[][] = [];
/** Whole pictures by chunk. */
const sharp = new Map<string, MapPicture>();

export type MapPictures = ReturnType<typeof createMapPictures>;

/**
 * Loads the pictures of a map: small ones on sheets of a hundred, what is seen first and nothing twice; and whole ones where they are drawn large.
 * @param onLoad called whenever there are more
 */
export function createMapPictures(onLoad: () => void) {
  const stopping = new AbortController();
  const asked = new Set<string>();
  let wanted: string[] = [];
  let running = 0;

  async function loadSheet(ids: string[]): Promise<void> {
    const options = { query: { ids: ids.join(',') }, parseAs: 'blob', signal: stopping.signal } as const;
    // Of a file the client knows the type by its header only.
    const sheet = await createImageBitmap((await readClipSheet(options)) as unknown as Blob);
    const source = roundCorners(sheet, ids.length);
    sheet.close();
    for (const [i, id] of ids.entries()) {
      small.set(id, {
        source,
        left: tile * (i % perRow),
        top: tile * Math.floor(i / perRow),
        width: tile,
        height: tile,
      });
    }
    sheets.push(ids);
    if (sheets.length > maxSheets) for (const id of sheets.shift() ?? []) small.delete(id);
  }

  async function loadWhole(ids: string[]): Promise<void> {
    const { data } = await listClips({ query: { ids: ids.join(',') }, signal: stopping.signal });
    await Promise.all(
      data.map(async (clip: Clip) => {
        const image = new Image();
        image.src = clip.thumbnail;
        await image.decode();
        sharp.set(clip.chunk_id, {
          source: image,
          left: 0,
          top: 0,
          width: image.naturalWidth,
          height: image.naturalHeight,
        });
      }),
    );
  }

  /** Runs a request; what fails may be asked for again when the view changes. */
  function run(ids: string[], keyOf: (id: string) => string, load: (ids: string[]) => Promise<void>): void {
    for (const id of ids) asked.add(keyOf(id));
    running += 1;
    load(ids)
      .catch(() => {
        for (const id of ids) asked.delete(keyOf(id));
      })
      .finally(() => {
        running -= 1;
        if (stopping.signal.aborted) return;
        onLoad();
        next();
      });
  }

  const next = (): void => {
    while (running < maxAtOnce) {
      const ids = wanted.filter((id) => !small.has(id) && !asked.has(id)).slice(0, perSheet);
      if (ids.length === 0) return;
      run(ids, (id) => id, loadSheet);
    }
  };

  return {
    /**
     * Asks for the pictures of chunks, in this order; what was asked for before and has not begun is forgotten.
     * @param large those that are drawn so large that they need whole pictures
     */
    want(ids: string[], large: string[]): void {
      wanted = ids;
      const whole = large.filter((id) => !sharp.has(id) && !asked.has(`whole ${id}`)).slice(0, maxSharp);
      if (whole.length > 0) run(whole, (id) => `whole ${id}`, loadWhole);
      next();
    },
    /** The picture of a chunk in what is best for a size, so far as it has come. */
    get: (id: string, isLarge: boolean): MapPicture | undefined =>
      (isLarge ? sharp.get(id) : undefined) ?? small.get(id),
    stop: (): void => stopping.abort(),
  };
}

/** A sheet whose pictures have round corners: cut once, and not whenever it is drawn. */
function roundCorners(sheet: ImageBitmap, count: number): CanvasImageSource {
  const canvas = new OffscreenCanvas(sheet.width, sheet.height);
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  context.beginPath();
  for (let i = 0; i < count; i++) {
    context.roundRect(tile * (i % perRow), tile * Math.floor(i / perRow), tile, tile, corner);
  }
  context.fill();
  context.globalCompositeOperation = 'source-in';
  context.drawImage(sheet, 0, 0);
  return canvas;
}
