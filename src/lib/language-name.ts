const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The name of a language by its tag (BCP 47); the tag itself where it has none or is malformed. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
