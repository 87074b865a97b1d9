import { ChevronDown, ChevronRight, History } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLabelChoices } from '../../api/label-requests.ts';
import { useWorkspaceKey } from '../../api/workspace-key.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { Button } from '../../ui/button.tsx';
import { LabelPicker } from '../../ui/label-picker.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { splitNames } from './relabel.ts';
import { uploadQueue } from './run-uploads.ts';
import { isSameLabels, noLabels, type Upload, type UploadLabels } from './upload.ts';

/** As the API has it. */
const maxTags = 20;
/** Milliseconds between the last keystroke in the tags and the change. */
const typingPauseMs = 600;

/** The labels of the files that were chosen last: they are being sent already, and get them all the same. */
export function BatchLabels({ uploads }: { uploads: readonly Upload[] }) {
  const [open, setOpen] = useState(false);
  const [stored, store] = useStoredText(`upload labels ${useWorkspaceKey()}`);
  const last = uploads.at(-1);
  const choices = useChoices();
  if (!last) return null;
  const { batch, labels } = last;
  const before = readLabels(stored, choices);
  const change = (changes: Partial<UploadLabels>) => {
    const next = { ...labels, ...changes };
    uploadQueue.setLabels(batch, next);
    store(JSON.stringify(next));
  };
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="border-t border-line px-1.5 py-1">
      <Button
        variant="quiet"
        size="small"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="w-full justify-start"
      >
        <Chevron aria-hidden />
        Labels
        <span className="min-w-0 truncate font-normal">{describeLabels(labels, choices)}</span>
      </Button>
      {open ? (
        <div role="group" aria-label="Labels of these files" className="space-y-3 px-2.5 pt-1 pb-3">
          {isSameLabels(before, noLabels) || isSameLabels(before, labels) ? null : (
            <Button size="small" onClick={() => change(before)} className="max-w-full">
              <History aria-hidden />
              <span className="truncate">As last time: {describeLabels(before, choices)}</span>
            </Button>
          )}
          {choices.map(({ field, label, none, of }) => (
            <LabelPicker
              {...of}
              key={field}
              label={label}
              value={of.options.some(({ id }) => id === labels[field]) ? labels[field] : null}
              none={none}
              onChange={(id) => change({ [field]: id ?? '' })}
            />
          ))}
          <TagsField key={batch} tags={labels.tags} onChange={(tags) => change({ tags })} />
        </div>
      ) : null}
    </div>
  );
}

/** Changes the tags once nothing more is typed. */
function TagsField({ tags, onChange }: { tags: string; onChange: (tags: string) => void }) {
  const [text, setText] = useState(tags);
  const names = splitNames(text);
  const isMany = names.length > maxTags;
  const next = names.join(',');
  useEffect(() => {
    if (next === tags || isMany) return undefined;
    const timer = setTimeout(() => onChange(next), typingPauseMs);
    return () => clearTimeout(timer);
  }, [next, tags, isMany, onChange]);
  return (
    <TextField
      label="Tags"
      name="tags"
      hint={isMany ? `At most ${maxTags} tags.` : 'Separated by commas'}
      value={text}
      maxLength={1000}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

/** What can be chosen from, or created. */
function useChoices() {
  return [
    { field: 'creator_id', label: 'Creator', none: 'No creator', of: useLabelChoices('creator') },
    { field: 'category_id', label: 'Category', none: 'No category', of: useLabelChoices('category') },
    { field: 'collection_id', label: 'Collection', none: 'No collection', of: useLabelChoices('collection') },
  ] as const;
}

type Choices = ReturnType<typeof useChoices>;

/** `Ana Lima · Trip to Lisbon · sea, holiday`. */
function describeLabels(labels: UploadLabels, choices: Choices): string {
  const names = choices.flatMap(({ field, of }) => of.options.find(({ id }) => id === labels[field])?.name ?? []);
  const tags = splitNames(labels.tags).join(', ');
  return [...names, tags].filter(Boolean).join(' · ') || 'none';
}

/** Without those that have been deleted since. */
function readLabels(stored: string | null, choices: Choices): UploadLabels {
  try {
    const labels = { ...noLabels, ...(JSON.parse(stored ?? '{}') as Partial<UploadLabels>) };
    for (const { field, of } of choices) {
      if (!of.options.some(({ id }) => id === labels[field])) labels[field] = '';
    }
    return labels;
  } catch {
    return noLabels;
  }
}
