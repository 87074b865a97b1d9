import type { ExternalToast } from 'sonner';

type Show = (text: string, options?: ExternalToast) => unknown;
type Toasts = { success: Show; error: Show; warning: Show; loading: Show; dismiss: (id: string | number) => unknown };

/** Resolves once the toasts are on the page: before that they would show nothing. */
const { promise: shown, resolve: noteShown } = Promise.withResolvers<Toasts>();

/** Called by what shows the toasts. */
export const onToastsShown = (toasts: Toasts): void => noteShown(toasts);

/** How long a change can be undone, milliseconds. */
export const undoMs = 12_000;

/** Notices that pass by themselves. Their library loads after the first page (`toasts.tsx`); what is said before waits for it. */
export const toast = {
  success: (text: string, options?: ExternalToast): void => void shown.then(({ success }) => success(text, options)),
  error: (text: string, options?: ExternalToast): void => void shown.then(({ error }) => error(text, options)),
  warning: (text: string, options?: ExternalToast): void => void shown.then(({ warning }) => warning(text, options)),
  loading: (text: string, options?: ExternalToast): void => void shown.then(({ loading }) => loading(text, options)),
  dismiss: (id: string | number): void => void shown.then(({ dismiss }) => dismiss(id)),
};
