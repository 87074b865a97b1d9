import { useState } from 'react';
import { useLabelChoices } from '../../api/label-requests.ts';
import { usePersonKey, useWorkspaceKey } from '../../api/workspace-key.ts';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LabelPicker } from '../../ui/label-picker.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { uploadFiles } from './run-uploads.ts';
import { noLabels, type UploadLabels } from './upload.ts';

/** Names that are shown of many files. */
const maxNames = 3;

/** As the API has it. */
const maxTags = 20;

/** Asks what files get before they are sent: as a rule what those before them got, so that Enter is enough. */
export function UploadSheet({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const person = usePersonKey();
  const [stored, store] = useStoredText(`upload labels ${useWorkspaceKey()}`);
  const [changes, setChanges] = useState<Partial<UploadLabels>>({});
  const choices = useChoices();
  const chosen = { ...readLabels(stored), ...changes };
  const tags = splitTags(chosen.tags);
  const upload = () => {
    if (tags.length > maxTags) return;
    const labels = { ...chosen, tags: tags.join(',') };
    // A label may have been removed.
    for (const { field, choices: of } of choices) {
      if (!of.options.some(({ id }) => id === labels[field])) labels[field] = '';
    }
    store(JSON.stringify(labels));
    uploadFiles(files, labels, person);
    onClose();
  };
  const count = `${formatCount(files.length)} ${files.length === 1 ? 'file' : 'files'}`;
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Upload ${count}`}
      description={describe(files)}
      submit={`Upload ${count}`}
      focusSubmit
      busy={false}
      error={null}
      onSubmit={upload}
    >
      <FileNames files={files} />
      <div className="grid gap-4 sm:grid-cols-2">
        {choices.map(({ field, label, none, choices: of }) => (
          <LabelPicker
            {...of}
            key={field}
            label={label}
            value={of.options.some(({ id }) => id === chosen[field]) ? chosen[field] : null}
            none={none}
            onChange={(id) => setChanges({ ...changes, [field]: id ?? '' })}
          />
        ))}
      </div>
      <TextField
        label="Tags"
        name="tags"
        hint={tags.length > maxTags ? `At most ${maxTags} tags.` : 'Separated by commas'}
        value={chosen.tags}
        maxLength={1000}
        onChange={({ target }) => setChanges({ ...changes, tags: target.value })}
      />
    </FormDialog>
  );
}

/** What can be chosen from, or created. */
function useChoices() {
  return [
    { field: 'creator_id', label: 'Creator', none: 'No creator', choices: useLabelChoices('creator') },
    { field: 'category_id', label: 'Category', none: 'No category', choices: useLabelChoices('category') },
    { field: 'collection_id', label: 'Collection', none: 'No collection', choices: useLabelChoices('collection') },
  ] as const;
}

const FileNames = ({ files }: { files: readonly File[] }) => (
  <ul className="space-y-0.5 rounded-control bg-raised px-3 py-2 text-label">
    {files.slice(0, maxNames).map((file) => (
      <li
        key={`${file.webkitRelativePath} ${file.name} ${file.size} ${file.lastModified}`}
        className="truncate"
        title={file.name}
      >
        {file.name}
      </li>
    ))}
    {files.length > maxNames ? <li className="text-quiet">and {formatCount(files.length - maxNames)} more</li> : null}
  </ul>
);

const splitTags = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function readLabels(stored: string | null): UploadLabels {
  try {
    return { ...noLabels, ...(JSON.parse(stored ?? '{}') as Partial<UploadLabels>) };
  } catch {
    return noLabels;
  }
}

/** Size and kinds of files: `1.2 GB · 150 images, 15 videos`. */
function describe(files: readonly File[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const count = (kind: string) => files.filter(({ type }) => type.startsWith(`${kind}/`)).length;
  const [images, videos] = [count('image'), count('video')];
  const kinds = [
    [images, 'image', 'images'],
    [videos, 'video', 'videos'],
    // A browser does not know every type that the service takes.
    [files.length - images - videos, 'other file', 'other files'],
  ] as const;
  const named = kinds.flatMap(([n, one, many]) => (n === 0 ? [] : `${formatCount(n)} ${n === 1 ? one : many}`));
  return [formatBytes(bytes), named.join(', ')].join(' · ');
}
