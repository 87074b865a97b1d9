import { Dialog } from 'radix-ui';
import { type ReactNode, type Ref, useRef } from 'react';
import { Button } from './button.tsx';
import { Form, type FormError } from './form.tsx';
import { useReturnFocus } from './return-focus.ts';

/** A form over the page. It stays open until what it asks for was done; what went wrong is said in it. */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  submit,
  focusSubmit = false,
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
  /** Whether Enter is enough: nothing has to be filled in. */
  focusSubmit?: boolean;
  busy: boolean;
  /** Why it was refused. */
  error: FormError | null;
  /** Gets the fields by their names. */
  onSubmit: (fields: Record<string, string>) => void;
  children: ReactNode;
}) {
  const focus = useReturnFocus();
  const submitButton = useRef<HTMLButtonElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-overlay z-40" />
        <Dialog.Content
          {...focus}
          onOpenAutoFocus={(event) => {
            focus.onOpenAutoFocus();
            if (!focusSubmit) return;
            event.preventDefault();
            submitButton.current?.focus();
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-1/2 left-1/2 z-40 max-h-[94dvh] w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float"
        >
          <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
          {description === undefined ? null : (
            <Dialog.Description className="mt-1.5 leading-relaxed text-quiet">{description}</Dialog.Description>
          )}
          <Form
            error={error}
            onSubmit={onSubmit}
            className="mt-4 space-y-4"
            actions={<Buttons submit={submit} busy={busy} submitButton={submitButton} />}
          >
            {children}
          </Form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const Buttons = ({
  submit,
  busy,
  submitButton,
}: {
  submit: string;
  busy: boolean;
  submitButton: Ref<HTMLButtonElement>;
}) => (
  <div className="flex justify-end gap-2 pt-1">
    <Dialog.Close asChild>
      <Button>Cancel</Button>
    </Dialog.Close>
    <Button ref={submitButton} type="submit" variant="primary" disabled={busy}>
      {busy ? 'Please wait…' : submit}
    </Button>
  </div>
);
