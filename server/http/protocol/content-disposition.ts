/**
 * A `Content-Disposition` that stores a file under a name (RFC 6266), which may hold anything: clients that read `filename*` (RFC 8187) get
 * it as it is, the others in ASCII.
 */
export function attachmentNamed(filename: string): string {
  const wellFormed = filename.toWellFormed();
  const ascii = wellFormed.replaceAll(/[^ -~]|["\\%/]/gu, '_');
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
