export type QueryImage = {
  /** Identifies the image in the URL. */
  name: string;
  file: File;
  /** An object URL, to show the image. */
  url: string;
};

/** Images chosen to search by. They last until the page reloads: a URL can name an image, but not contain it. */
const images = new Map<string, QueryImage>();
let next = 1;

/** Keeps an image and returns its name for the URL. */
export function keepQueryImage(file: File): string {
  const name = String(next++);
  images.set(name, { name, file, url: URL.createObjectURL(file) });
  return name;
}

export const findQueryImage = (name: string): QueryImage | undefined => images.get(name);
