import { useState } from 'react';
import { useLabelOptions } from '../../api/labels.ts';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { noLabels, type UploadLabels } from './upload-queue.ts';
import { uploadQueue } from './upload-store.ts';

/** Names that are shown of many files. */
const maxNames = 3;

/** Asks what files get before they are sent: as a rule what those before them got, so that Enter is enough. */
export function UploadSheet({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const [stored, store] = useStoredText('upload labels');
  const [changes, setChanges] = useState<Partial<UploadLabels>>({});
  const { creators, categories } = useLabelOptions();
  const before = readLabels(stored);
  const labels: UploadLabels = {
    creator_id: keep(creators, changes.creator_id ?? before.creator_id),
    category_id: keep(categories, changes.category_id ?? before.category_id),
  };
  const upload = () => {
    store(JSON.stringify(labels));
    uploadQueue.add(files, labels);
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
        {files.length > maxNames ? (
          <li className="text-quiet">and {formatCount(files.length - maxNames)} more</li>
        ) : null}
      </ul>
      {creators.length > 0 ? (
        <Select
          label="Creator"
          value={labels.creator_id}
          options={[{ value: '', text: 'No creator' }, ...creators]}
          onChange={(creator_id) => setChanges({ ...changes, creator_id })}
        />
      ) : null}
      {categories.length > 0 ? (
        <Select
          label="Category"
          value={labels.category_id}
          options={[{ value: '', text: 'No category' }, ...categories]}
          onChange={(category_id) => setChanges({ ...changes, category_id })}
        />
      ) : null}
    </FormDialog>
  );
}

function readLabels(stored: string | null): UploadLabels {
  try {
    return { ...noLabels, ...(JSON.parse(stored ?? '{}') as Partial<UploadLabels>) };
  } catch {
    return noLabels;
  }
}

/** A choice that still exists: labels are removed, and belong to one workspace. */
const keep = (options: readonly { value: string }[], value: string): string =>
  options.some((option) => option.value === value) ? value : '';

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
