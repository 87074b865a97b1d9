import { useEffect } from 'react';
import { toast, Toaster } from 'sonner';
import { useTheme } from '../lib/theme.ts';
import { onToastsShown } from './toast.ts';

/** Where toasts appear. */
export function Toasts() {
  const [theme] = useTheme();
  // After the effects of what is below: from then on it listens.
  useEffect(() => onToastsShown(toast), []);
  return <Toaster position="top-center" theme={theme} />;
}
