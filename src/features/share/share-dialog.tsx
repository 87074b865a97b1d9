import { useState } from 'react';
import { Link } from 'react-router';
import type { Share } from '../../api/generated/api/index.ts';
import { useCreateShare } from '../../api/shares.ts';
import { formatDate, formatTime } from '../../lib/format.ts';
import { parseClock } from '../../lib/parse-clock.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';

/** What a link can be made to: an item, and the moment of it that is offered first, seconds. */
export type Shareable = { id: string; type: 'video' | 'image'; moment?: { start: number; end: number } };

type Extent = 'whole' | 'moment';

const lifetimes = [
  { value: '24', text: '1 day' },
  { value: '168', text: '7 days' },
  { value: '720', text: '30 days' },
  { value: '8760', text: '1 year' },
] as const;

/** Offered where no moment is known, seconds. */
const firstMoment = { start: 0, end: 10 };

/** Makes a public link, then shows it. */
export function ShareDialog({ of, onClose }: { of: Shareable; onClose: () => void }) {
  const create = useCreateShare();
  if (create.data) return <CreatedLink share={create.data} onClose={onClose} />;
  return <ShareForm of={of} create={create} onClose={onClose} />;
}

function ShareForm({
  of,
  create,
  onClose,
}: {
  of: Shareable;
  create: ReturnType<typeof useCreateShare>;
  onClose: () => void;
}) {
  const [extent, setExtent] = useState<Extent>(of.moment ? 'moment' : 'whole');
  const [hours, setHours] = useState<(typeof lifetimes)[number]['value']>('168');
  const [wrong, setWrong] = useState<Error | null>(null);
  const isMoment = of.type === 'video' && extent === 'moment';
  const submit = (fields: Record<string, string>) => {
    const span = isMoment ? readSpan(fields, of.moment ?? firstMoment) : {};
    setWrong(span === null ? new Error('Write times like 1:02.5, minutes and seconds.') : null);
    if (span === null) return;
    const title = fields['title']?.trim() ?? '';
    create.mutate({ media_id: of.id, expires_in_hours: Number(hours), ...span, ...(title === '' ? {} : { title }) });
  };
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Share by link"
      description="Anyone who has the link can see it and save it, until it expires or you revoke it."
      submit="Create link"
      busy={create.isPending}
      error={wrong ?? create.error}
      onSubmit={submit}
    >
      {of.type === 'video' ? <ExtentChoice value={extent} onChange={setExtent} /> : null}
      {isMoment ? <MomentFields {...(of.moment ?? firstMoment)} /> : null}
      <TextField
        label="Title"
        name="title"
        maxLength={200}
        autoComplete="off"
        hint="Optional. The page shows no file name."
      />
      <Select label="Expires after" value={hours} options={lifetimes} onChange={setHours} />
      <p className="text-xs leading-relaxed text-quiet">{describeGiven(of.type, isMoment)}</p>
    </FormDialog>
  );
}

/** The moment in the fields, seconds; null where one of them is no time. */
function readSpan({ start = '', end = '' }: Record<string, string>, offered: { start: number; end: number }) {
  const [from, to] = [readTime(start, offered.start), readTime(end, offered.end)];
  return from === null || to === null ? null : { start: from, end: to };
}

/** What was left as it is means its exact value, of which tenths are shown. */
const readTime = (text: string, offered: number): number | null =>
  text === formatTime(offered, true) ? offered : parseClock(text);

const ExtentChoice = ({ value, onChange }: { value: Extent; onChange: (value: Extent) => void }) => (
  <Choice<Extent>
    label="What to share"
    value={value}
    options={[
      { value: 'moment', text: 'A moment' },
      { value: 'whole', text: 'Whole video' },
    ]}
    onChange={(chosen) => onChange(chosen ?? 'whole')}
  />
);

const MomentFields = ({ start, end }: { start: number; end: number }) => (
  <div className="grid grid-cols-2 gap-3">
    <TextField label="From" name="start" defaultValue={formatTime(start, true)} autoComplete="off" required />
    <TextField label="To" name="end" defaultValue={formatTime(end, true)} autoComplete="off" required />
  </div>
);

/** What leaves the workspace with a link. */
function describeGiven(type: Shareable['type'], isMoment: boolean): string {
  if (type === 'image') return 'A copy is shared, at most 2560 pixels wide or high, without camera and place.';
  return isMoment
    ? 'Only this moment is shared, as a clip of its own. Cutting it may take some seconds.'
    : 'The file itself is shared, with what it says of itself, such as camera and place.';
}

/** The new link, to be copied. */
function CreatedLink({ share: { url, expires_at }, onClose }: { share: Share; onClose: () => void }) {
  return (
    <ClosableDialog title="Link created" description={`It works until ${formatDate(expires_at)}.`} onClose={onClose}>
      <div className="mt-4 flex items-center gap-1 rounded-control border border-line bg-canvas pl-3">
        <input
          readOnly
          value={url}
          aria-label="Link"
          onFocus={(event) => event.target.select()}
          className="h-9 min-w-0 flex-1 bg-transparent"
        />
        <CopyButton text={url} label="Copy link">
          Copy
        </CopyButton>
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button asChild variant="quiet">
          <Link to={paths.settings('shared-links')} onClick={onClose}>
            All shared links
          </Link>
        </Button>
        <Button asChild>
          <a href={url} target="_blank" rel="noreferrer">
            Open
          </a>
        </Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </ClosableDialog>
  );
}
