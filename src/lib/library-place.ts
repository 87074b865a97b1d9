const name = 'library-address';

/** Keeps where in the library this tab is, with filters and order, for the way back from an item. A collection is a part of it. */
export function rememberLibrary({ pathname, search }: { pathname: string; search: string }): void {
  sessionStorage.setItem(name, `${pathname}${search}`);
}

/** Where the library was left. */
export const libraryAddress = (): string => sessionStorage.getItem(name) ?? '/';
