import SQLite, { type Statement } from 'better-sqlite3';

type Texts = { number: number; text: string; filename: string; tags: string };

/**
 * Reads the texts of chunks at once, on the calling thread, which has to have nothing else to do. The file is opened with the first call.
 * @returns a function from the numbers of chunks to their texts, in the same order; undefined for chunks that do not exist
 */
export function openTextReader(file: string): (numbers: number[]) => (Texts | undefined)[] {
  let statement: Statement<[string], Texts> | undefined;
  return (numbers) => {
    statement ??= new SQLite(file, { readonly: true }).prepare(`
      select chunks.number, coalesce(chunks.text, '') as text, media_items.filename, media_items.tags
      from chunks join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
      where chunks.number in (select value from json_each(?))`);
    const found = new Map(statement.all(JSON.stringify(numbers)).map((texts) => [texts.number, texts]));
    return numbers.map((number) => found.get(number));
  };
}
