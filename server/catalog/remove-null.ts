/** A text without U+0000, which files and requests may hold and PostgreSQL stores in no text. */
export const removeNull = <Text extends string | null>(text: Text): Text =>
  text?.includes('\0') ? (text.replaceAll('\0', '') as Text) : text;
