import path from 'node:path';
import type { SearchHit } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { momentOf, saveExport } from './export-clips.ts';

/** Lists of moments for spreadsheets and editing programs, by the ends of their files. */
const formats = { '.csv': 'csv', '.edl': 'edl', '.fcpxml': 'fcpxml' } as const;

/** The kind of list that a file is to be, by its end; undefined: it is none. */
export const listFormatOf = (file: string): 'csv' | 'edl' | 'fcpxml' | undefined =>
  formats[path.extname(file).toLowerCase() as keyof typeof formats];

/**
 * Saves hits as a list that names their files; those of sources by their paths.
 * @param options.paths the machine whose path mappings are used
 */
export async function exportList(
  hits: SearchHit[],
  {
    file,
    format,
    paths,
    force,
  }: { file: string; format: 'csv' | 'edl' | 'fcpxml'; paths?: string | undefined; force: boolean },
  connection: Connection,
  { output, signal }: Context,
): Promise<void> {
  const moments = hits.map((hit) => ({ ...momentOf(hit), score: hit.score }));
  const title = path.parse(file).name.slice(0, 100);
  const body = { format, moments, title, ...(paths !== undefined && { paths }) };
  await saveExport(body, () => file, { force, signal }, connection);
  output.say(`Saved ${file}`);
}
