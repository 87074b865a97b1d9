import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { describeError, toSentence } from '../lib/describe-error.ts';
import { fieldsOf } from '../lib/form-fields.ts';

/** A refusal, with what is wrong in which part of the request, such as `body.email`. */
export type FormError = Error & { details?: readonly { path: string; message: string }[] };

/** What is wrong with each field of the form around, by its name. */
const none: Readonly<Record<string, string>> = {};
const FieldErrors = createContext(none);

/** What is wrong with a field of the form around; undefined for a field that is right, and for one without a name. */
export const useFieldError = (name: string | undefined): string | undefined => useContext(FieldErrors)[name ?? ''];

/**
 * A form that says what is wrong once: at the field where it is, which then has the focus, or else at its foot.
 * @param error why it was refused
 */
export function Form({
  error,
  onSubmit,
  className,
  children,
  actions,
}: {
  error: FormError | null;
  /** Gets the fields by their names. */
  onSubmit: (fields: Record<string, string>) => void;
  className?: string;
  children: ReactNode;
  /** Buttons below what is wrong. */
  actions?: ReactNode;
}) {
  const ref = useRef<HTMLFormElement>(null);
  const [names, setNames] = useState<string[]>([]);
  const byField = useMemo(() => toFieldErrors(error, names), [error, names]);
  useEffect(() => {
    if (byField) ref.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [byField]);
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = fieldsOf(event.currentTarget);
    setNames(Object.keys(fields));
    onSubmit(fields);
  };
  return (
    <FieldErrors value={byField ?? none}>
      <form ref={ref} onSubmit={handleSubmit} className={className}>
        {children}
        {error && !byField ? (
          <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
            {describeError(error)}
          </p>
        ) : null}
        {actions}
      </form>
    </FieldErrors>
  );
}

/** What is wrong with each field, in sentences; null where something is wrong that is in none of them. */
function toFieldErrors(error: FormError | null, names: readonly string[]): Record<string, string> | null {
  const details = (error?.details ?? []).map(({ path, message }) => [path.replace(/^body\./, ''), message] as const);
  if (details.length === 0 || details.some(([name]) => !names.includes(name))) return null;
  return Object.fromEntries(details.map(([name, message]) => [name, toSentence(message)]));
}
