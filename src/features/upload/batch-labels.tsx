import { ChevronDown, ChevronRight, History } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useGroups } from '../../api/item-groups.ts';
import { useLabelOptions } from '../../api/labels.ts';
import { useWorkspaceKey } from '../../api/workspace-key.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
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
          {choices
            .filter(({ options }) => options.length > 0)
            .map(({ field, label, none, options }) => (
              <Select
                key={field}
                label={label}
                value={options.some(({ value }) => value === labels[field]) ? labels[field] : ''}
                options={[{ value: '', text: none }, ...options]}
                onChange={(value) => change({ [field]: value })}
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

/** What can be chosen from; nothing where there is none of a kind. */
function useChoices() {
  const { creators, categories } = useLabelOptions();
  const collections = useGroups('collections').map(({ id, name }) => ({ value: id, text: name }));
  return [
    { field: 'creator_id', label: 'Creator', none: 'No creator', options: creators },
    { field: 'category_id', label: 'Category', none: 'No category', options: categories },
    { field: 'collection_id', label: 'Collection', none: 'No collection', options: collections },
  ] as const;
}

type Choices = ReturnType<typeof useChoices>;

/** `Ana Lima · Trip to Lisbon · sea, holiday`. */
function describeLabels(labels: UploadLabels, choices: Choices): string {
  const names = choices.flatMap(
    ({ field, options }) => options.find(({ value }) => value === labels[field])?.text ?? [],
  );
  const tags = splitNames(labels.tags).join(', ');
  return [...names, tags].filter(Boolean).join(' · ') || 'none';
}

/** Without those that have been deleted since. */
function readLabels(stored: string | null, choices: Choices): UploadLabels {
  try {
    const labels = { ...noLabels, ...(JSON.parse(stored ?? '{}') as Partial<UploadLabels>) };
    for (const { field, options } of choices) {
      if (!options.some(({ value }) => value === labels[field])) labels[field] = '';
    }
    return labels;
  } catch {
    return noLabels;
  }
}
