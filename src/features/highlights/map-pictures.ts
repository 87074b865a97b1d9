import { type Clip, listClips, readClipSheet } from '../../api/generated/api/index.ts';

/** A picture, where it lies in its source. */
export type MapPicture = {
  source: CanvasImageSource;
  left: number;
  top: number;
  width: number;
  height: number;
  /** Whether it is a thumbnail of its own, and not one of a sheet. */
  isWhole: boolean;
};

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
/** Whole pictures that are kept. */
const maxWhole = 400;
/** A whole picture of this width is sharp at any size that the map draws, pixels. */
const enough = 400;
/** Corners of a small picture, of its pixels. */
const corner = 10;

/** Small pictures by chunk, of all maps: a picture never changes. The sheet that was asked for first is the first to go. */
const small = new Map<string, MapPicture>();
const sheets: string[][] = [];
/** Whole pictures by chunk. */
const sharp = new Map<string, MapPicture>();

async function loadSheet(ids: string[], signal: AbortSignal): Promise<void> {
  const options = { query: { ids: ids.join(',') }, parseAs: 'blob', signal } as const;
  // Of a file the client knows the type by its header only.
  const sheet = await createImageBitmap(await readClipSheet(options));
  const source = roundCorners(sheet, ids.length);
  sheet.close();
  for (const [i, id] of ids.entries()) {
    small.set(id, {
      source,
      left: tile * (i % perRow),
      top: tile * Math.floor(i / perRow),
      width: tile,
      height: tile,
      isWhole: false,
    });
  }
  sheets.push(ids);
  if (sheets.length > maxSheets) for (const id of sheets.shift() ?? []) small.delete(id);
}

async function loadWhole(ids: string[], signal: AbortSignal): Promise<void> {
  const { data } = await listClips({ query: { ids: ids.join(',') }, signal });
  await Promise.allSettled(
    data.map(async (clip: Clip) => {
      const image = new Image();
      image.src = clip.thumbnails.find(({ width }) => width >= enough)?.url ?? clip.thumbnail;
      await image.decode();
      sharp.set(clip.chunk_id, {
        source: image,
        left: 0,
        top: 0,
        width: image.naturalWidth,
        height: image.naturalHeight,
        isWhole: true,
      });
    }),
  );
  for (const id of [...sharp.keys()].slice(0, Math.max(0, sharp.size - maxWhole))) sharp.delete(id);
}

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

  /** Runs a request. What fails is asked for again when the view changes, and not at once: the service may be away. */
  async function run(ids: string[], keyOf: (id: string) => string, load: typeof loadSheet): Promise<void> {
    for (const id of ids) asked.add(keyOf(id));
    running += 1;
    const came = await load(ids, stopping.signal).then(
      () => true,
      () => false,
    );
    running -= 1;
    for (const id of ids) asked.delete(keyOf(id));
    if (stopping.signal.aborted) return;
    onLoad();
    if (came) next();
  }

  const next = (): void => {
    while (running < maxAtOnce) {
      const ids = wanted.filter((id) => !small.has(id) && !asked.has(id)).slice(0, perSheet);
      if (ids.length === 0) return;
      void run(ids, (id) => id, loadSheet);
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
      if (whole.length > 0) void run(whole, (id) => `whole ${id}`, loadWhole);
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
