import { useState } from 'react';
import { Link } from 'react-router';
import type { CreateShareData, Share } from '../../api/generated/api/index.ts';
import { useCreateShare } from '../../api/shares.ts';
import { countItems, formatDate, formatTime } from '../../lib/format.ts';
import { parseClock } from '../../lib/parse-clock.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { OptionFields, PageFields, PasswordField, type ShareOptions } from './share-options.tsx';
import { isItem, maxShared, type Shareable, toTarget } from './shareable.ts';

type Extent = 'whole' | 'moment';

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
  const offered = isItem(of) ? of.moment : undefined;
  const [extent, setExtent] = useState<Extent>(offered ? 'moment' : 'whole');
  const [options, setOptions] = useState<ShareOptions>({ download: 'none', comments: 'none', hours: '168' });
  const [wrong, setWrong] = useState<Error | null>(null);
  const isVideo = isItem(of) && of.type !== 'image';
  const isMoment = isVideo && extent === 'moment';
  const submit = (fields: Record<string, string>) => {
    const problem = findProblem(of);
    const span = isMoment ? readSpan(fields, offered ?? firstMoment) : {};
    setWrong(span === null ? new Error('Write times like 1:02.5, minutes and seconds.') : problem);
    if (span === null || problem) return;
    create.mutate({ ...toTarget(of, null), ...span, ...readOptions(fields, options, isMoment) });
  };
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Share by link"
      description={`${describeAudience(of)}, until the link expires or you revoke it.`}
      submit="Create link"
      busy={create.isPending}
      error={wrong ?? create.error}
      onSubmit={submit}
    >
      {isVideo ? <ExtentChoice value={extent} onChange={setExtent} /> : null}
      {isMoment ? <MomentFields {...(offered ?? firstMoment)} /> : null}
      <PageFields />
      <OptionFields options={options} originals={!isMoment} onChange={setOptions} />
      <PasswordField hint="Optional. At least 10 characters; tell it by another way than the link." />
      <p className="text-xs leading-relaxed text-quiet">{describeGiven(of, isMoment, options)}</p>
    </FormDialog>
  );
}

/** Why something cannot be shared; null where it can. */
const findProblem = (of: Shareable): Error | null =>
  'ids' in of && of.ids.length > maxShared
    ? new Error(`A link shows at most ${countItems(maxShared)}. Select fewer, or share a collection.`)
    : null;

/** What the form says besides what is shared. */
function readOptions(
  { title = '', note = '', password = '' }: Record<string, string>,
  { download, comments, hours }: ShareOptions,
  isMoment: boolean,
): CreateShareData['body'] {
  return {
    expires_in_hours: Number(hours),
    // The choice is kept while another extent is chosen.
    download: isMoment && download === 'original' ? 'rendition' : download,
    comments,
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(password === '' ? {} : { password }),
  };
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

/** Who sees what. */
function describeAudience(of: Shareable): string {
  if (isItem(of)) return 'Anyone who has the link can see it';
  if ('ids' in of) return `Anyone who has the link can see ${countItems(of.ids.length)}`;
  return 'Anyone who has the link can see this collection, also what is added later';
}

/** What leaves the workspace with a link. */
function describeGiven(of: Shareable, isMoment: boolean, { download }: ShareOptions): string {
  if (isMoment) return 'Only this moment is shared, as a clip of its own. Cutting it may take some seconds.';
  if (download === 'original') return 'The files as they were uploaded can be stored, with camera, place and names.';
  if (isItem(of) && of.type !== 'image')
    return 'The file itself is shared, with what it says of itself, such as camera and place.';
  return isItem(of)
    ? 'A copy is shared, at most 2560 pixels wide or high, without camera and place.'
    : 'Photographs are shared as copies of at most 2560 pixels, without camera and place; videos as they are.';
}

/** The new link, to be copied. */
function CreatedLink({ share: { url, expires_at, has_password }, onClose }: { share: Share; onClose: () => void }) {
  const more = has_password ? ' Visitors need the password too.' : '';
  return (
    <ClosableDialog
      title="Link created"
      description={`It works until ${formatDate(expires_at)}.${more}`}
      onClose={onClose}
    >
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
