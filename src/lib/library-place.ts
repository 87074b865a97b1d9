const name = 'library';

/** Keeps the filters and the order that the library has in this tab, for the way back from an item. */
export function rememberLibrary(search: URLSearchParams): void {
  sessionStorage.setItem(name, search.toString());
}

/** Where the library was left: its address with filters and order. */
export function libraryAddress(): string {
  const search = sessionStorage.getItem(name) ?? '';
  return search === '' ? '/' : `/?${search}`;
}
