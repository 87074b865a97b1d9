import { type ComponentProps, useId } from 'react';
import { useFieldError } from './form.tsx';

/** A labelled line of text with, below it, a hint or what is wrong with it. */
export function TextField({
  label,
  hint,
  ...props
}: ComponentProps<'input'> & { label: string; hint?: string | undefined }) {
  const id = useId();
  const error = useFieldError(props.name);
  const note = error ?? hint;
  return (
    <div>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        className="mt-1.5 h-9 w-full rounded-control border border-line bg-canvas px-3 aria-invalid:border-danger"
        {...props}
      />
      {note === undefined ? null : (
        <p id={`${id}-note`} className={error === undefined ? 'mt-1 text-xs text-quiet' : 'mt-1 text-xs text-danger'}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A labelled text of several lines. */
export function TextArea({ label, ...props }: ComponentProps<'textarea'> & { label: string }) {
  const id = useId();
  const error = useFieldError(props.name);
  return (
    <div>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-note`}
        className="mt-1.5 block w-full rounded-control border border-line bg-canvas px-3 py-2 leading-relaxed aria-invalid:border-danger"
        {...props}
      />
      {error === undefined ? null : (
        <p id={`${id}-note`} className="mt-1 text-xs text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

/** The field of a password that is being chosen. */
export const NewPasswordField = (props: { label: string; name: string }) => (
  <TextField
    type="password"
    autoComplete="new-password"
    minLength={10}
    maxLength={200}
    required
    hint="At least 10 characters"
    {...props}
  />
);
