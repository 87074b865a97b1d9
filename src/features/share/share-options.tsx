import { type ReactNode, useId } from 'react';
import type { Share } from '../../api/generated/api/index.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { commentModes, downloads, type Lifetime, lifetimes } from './shareable.ts';

/** What a link allows. */
export type ShareOptions = {
  download: Share['download'];
  comments: Share['comments'];
  /** Null: until the day that it has now. */
  hours: Lifetime | null;
};

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
    <span aria-hidden className="font-medium">
      {label}
    </span>
    {children}
  </div>
);

/** What visitors may do, and until when. @param originals whether the originals may be given */
export function OptionFields({
  options,
  originals,
  kept,
  onChange,
}: {
  options: ShareOptions;
  originals: boolean;
  /** Of a link that is changed: that its end stays as it is. */
  kept?: string;
  onChange: (options: ShareOptions) => void;
}) {
  return (
    <div className="grid gap-3">
      <Row label="Download">
        <Choice<Share['download']>
          label="Download"
          value={options.download}
          options={originals ? downloads : downloads.filter(({ value }) => value !== 'original')}
          onChange={(download) => onChange({ ...options, download: download ?? 'none' })}
        />
      </Row>
      <Row label="Comments">
        <Choice<Share['comments']>
          label="Comments"
          value={options.comments}
          options={commentModes}
          onChange={(comments) => onChange({ ...options, comments: comments ?? 'none' })}
        />
      </Row>
      {options.comments === 'none' ? null : (
        <p className="text-xs leading-relaxed text-quiet">
          Visitors see all comments on what is shared, also those that members wrote before.
        </p>
      )}
      <Row label="Expires after">
        <Choice<Lifetime>
          label="Expires after"
          value={options.hours ?? undefined}
          options={[...lifetimes]}
          onChange={(hours) => onChange({ ...options, hours: hours ?? null })}
        />
      </Row>
      {kept !== undefined && options.hours === null ? <p className="text-xs text-quiet">{kept}</p> : null}
    </div>
  );
}

/** The title and the text of the page. */
export const PageFields = ({ title = '', note = '' }: { title?: string | null; note?: string | null }) => (
  <>
    <TextField
      label="Title"
      name="title"
      maxLength={200}
      autoComplete="off"
      defaultValue={title ?? ''}
      hint="Optional. The page shows no file name."
    />
    <NoteField note={note ?? ''} />
  </>
);

function NoteField({ note }: { note: string }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="font-medium">
        Note
      </label>
      <textarea
        id={id}
        name="note"
        rows={2}
        maxLength={2000}
        dir="auto"
        defaultValue={note}
        placeholder="Optional. What visitors read below the title."
        className="mt-1.5 block field-sizing-content max-h-40 min-h-16 w-full resize-none rounded-control border border-line bg-canvas px-3 py-2 placeholder:text-quiet"
      />
    </div>
  );
}

export const PasswordField = ({ hint }: { hint: string }) => (
  <TextField
    label="Password"
    name="password"
    type="password"
    autoComplete="new-password"
    minLength={10}
    maxLength={200}
    hint={hint}
  />
);
