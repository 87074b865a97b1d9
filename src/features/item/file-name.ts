/** A file name without its extension, and the extension with its dot; `.profile` has none. */
export function splitName(name: string): { base: string; extension: string } {
  // A date such as `12.08` ends in none: an extension has a letter.
  const [, base = name, extension = ''] = /^(.+?)(\.(?=\d*\p{L})[\p{L}\d]{1,8})?$/u.exec(name) ?? [];
  return { base, extension };
}

/** A new name with the extension of the old one, unless it brings its own. An empty one stays empty. */
export function withExtension(name: string, before: string): string {
  if (name === '' || splitName(name).extension !== '') return name;
  return name + splitName(before).extension;
}
