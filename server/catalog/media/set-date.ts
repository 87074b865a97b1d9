import { type FileTags, findDate } from '@media-search/media/file-tags';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { setHere } from '../../../contract/media-details.ts';

type DateColumns = Record<'taken_at' | 'taken_zone' | 'taken_text' | 'taken_source', string | null>;

/**
 * The columns of a date that a client sets.
 * @param text RFC 3339, or the local clock time without a zone
 */
export function toSetDate(text: string): DateColumns {
  const { takenAt, takenZone, takenText, takenSource } = findDate([{ source: setHere, text }]);
  return { taken_at: takenAt, taken_zone: takenZone, taken_text: takenText, taken_source: takenSource };
}

/**
 * The columns of the date that a file says, for an update: a date that a client set stays, unless the file says the same. It may be set while the
 * file is indexed, so the database decides.
 */
export function unlessSet({
  takenAt,
  takenZone,
  takenText,
  takenSource,
}: FileTags['recording']): Record<keyof DateColumns, RawBuilder<string | null>> {
  const isSet = sql<SqlBool>`taken_source = ${setHere}
    and not (taken_at is not distinct from ${takenAt} and taken_zone is not distinct from ${takenZone})`;
  const choose = (column: keyof DateColumns, said: string | null) =>
    sql<string | null>`case when ${isSet} then ${sql.ref(column)} else ${said} end`;
  return {
    taken_at: choose('taken_at', takenAt),
    taken_zone: choose('taken_zone', takenZone),
    taken_text: choose('taken_text', takenText),
    taken_source: choose('taken_source', takenSource),
  };
}
