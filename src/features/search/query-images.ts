import { maxQueryVideoBytes } from '../../../contract/query-video.ts';

/** Loaded with the first image. */
const database = () => import('idb-keyval');

export type QueryImage = {
  /** Identifies the image in the URL. It begins with the time at which it was chosen. */
  name: string;
  file: File;
  /** An object URL, to show the image. */
  url: string;
};

/** Images chosen to search by, since the page was loaded. A URL can name an image, but not contain it. */
const images = new Map<string, QueryImage>();
/** How many of them the browser keeps for when a page is loaded again; older ones are forgotten. */
const kept = 10;

/** Keeps an image and returns its name for the URL. */
export function keepQueryImage(file: File): string {
  // Base 36 of the time has eight digits for a hundred years, so names sort by it.
  const name = `${Date.now().toString(36)}-${images.size}`;
  remember(name, file);
  // One that is too large is not searched by, and would fill the disk.
  if (file.size <= maxQueryVideoBytes) void store(name, file);
  return name;
}

export const findQueryImage = (name: string): QueryImage | undefined => images.get(name);

/** An image that was chosen before the page was loaded; null when the browser does not have it any more. */
export async function restoreQueryImage(name: string): Promise<QueryImage | null> {
  const { get } = await database();
  const file: unknown = await get(name);
  return file instanceof File ? remember(name, file) : null;
}

/** Forgets the images of the person who signs out. */
export async function forgetQueryImages(): Promise<void> {
  images.clear();
  const { clear } = await database();
  await clear();
}

function remember(name: string, file: File): QueryImage {
  const image = { name, file, url: URL.createObjectURL(file) };
  images.set(name, image);
  return image;
}

async function store(name: string, file: File): Promise<void> {
  try {
    const { delMany, keys, set } = await database();
    await set(name, file);
    const names = (await keys<string>()).toSorted();
    await delMany(names.slice(0, -kept));
  } catch {
    // A browser that keeps nothing (a private window, a full disk) loses the image when the page is loaded again, and the page says so.
  }
}
