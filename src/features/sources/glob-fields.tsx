import type { Source } from '../../api/generated/api/index.ts';
import { TextArea } from '../../ui/text-field.tsx';

/** What a source takes and leaves out, one glob in a line. */
export const GlobFields = ({ source }: { source?: Source }) => (
  <>
    <TextArea
      label="Only files that match"
      name="include"
      rows={2}
      spellCheck={false}
      placeholder="footage/**"
      defaultValue={source?.include.join('\n')}
    />
    <TextArea
      label="Leave out files that match"
      name="exclude"
      rows={2}
      spellCheck={false}
      placeholder="**/proxies/**"
      defaultValue={source?.exclude.join('\n')}
    />
    <p className="text-xs leading-relaxed text-quiet">
      One pattern in a line, below the folder: <code>*</code> stands for a part of a name, <code>**</code> for any
      folders. Hidden files, links that lead elsewhere and folders with <code>.nomedia</code> are left out anyway.
    </p>
  </>
);

/** The globs that a field holds. */
export const readGlobs = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
