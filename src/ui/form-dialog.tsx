import { Dialog } from 'radix-ui';
import type { FormEvent, ReactNode } from 'react';
import { fieldsOf } from '../lib/form-fields.ts';
import { Button } from './button.tsx';

/** A form over the page. It stays open until what it asks for was done; what went wrong is said in it. */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  submit,
  busy,
  error,
  onSubmit,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  submit: string;
  busy: boolean;
  error?: string | undefined;
  /** Gets the fields by their names. */
  onSubmit: (fields: Record<string, string>) => void;
  children: ReactNode;
}) {
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(fieldsOf(event.currentTarget));
  };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-1/2 left-1/2 z-40 max-h-[94dvh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float"
        >
          <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
          {description === undefined ? null : (
            <Dialog.Description className="mt-1.5 leading-relaxed text-quiet">{description}</Dialog.Description>
          )}
          <form onSubmit={handleSubmit} className="mt-4 space-y-4">
            {children}
            {error === undefined ? null : (
              <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
                {error}
              </p>
            )}
            <div className="flex justify-end gap-2 pt-1">
              <Dialog.Close asChild>
                <Button>Cancel</Button>
              </Dialog.Close>
              <Button type="submit" variant="primary" disabled={busy}>
                {busy ? 'Please wait…' : submit}
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
