export type QueryImage = {
  /** Tells images apart, in the address. */
  name: string;
  file: File;
  /** To show it by. */
  url: string;
};

/** Images chosen to search by. They live as long as the page: an address can name one, but not carry it. */
const images = new Map<string, QueryImage>();
let next = 1;

/** Keeps an image and returns the name to put into the address. */
export function keepQueryImage(file: File): string {
  const name = String(next++);
  images.set(name, { name, file, url: URL.createObjectURL(file) });
  return name;
}

export const findQueryImage = (name: string): QueryImage | undefined => images.get(name);
