export type QueryPicture = {
  /** Tells pictures apart, in the address. */
  name: string;
  file: File;
  /** To show it by. */
  url: string;
};

/** Pictures chosen to search by. They live as long as the page: an address can name one, but not carry it. */
const pictures = new Map<string, QueryPicture>();
let next = 1;

/** Keeps a picture and returns the name to put into the address. */
export function keepPicture(file: File): string {
  const name = String(next++);
  pictures.set(name, { name, file, url: URL.createObjectURL(file) });
  return name;
}

export const findPicture = (name: string): QueryPicture | undefined => pictures.get(name);
