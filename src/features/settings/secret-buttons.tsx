import { useMutation } from '@tanstack/react-query';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/**
 * A secret that is hidden until it is revealed.
 * @param read requests it
 */
export function useSecret(read: () => Promise<string>) {
  const [shown, setShown] = useState<string | null>(null);
  const reveal = useMutation({ mutationFn: read, onSuccess: setShown });
  const hide = () => setShown(null);
  return { read, shown, hide, toggle: () => (shown === null ? reveal.mutate() : hide()) };
}

/**
 * Shows or hides a secret, and copies it.
 * @param name what the secret is, such as `key`
 */
export function SecretButtons({
  secret: { read, shown, toggle },
  name,
  size,
}: {
  secret: ReturnType<typeof useSecret>;
  name: string;
  size: 'icon' | 'smallIcon';
}) {
  const Icon = shown === null ? Eye : EyeOff;
  const label = `${shown === null ? 'Reveal' : 'Hide'} ${name}`;
  return (
    <>
      <Button variant="quiet" size={size} aria-label={label} title={label} onClick={toggle}>
        <Icon aria-hidden />
      </Button>
      <CopyButton label={`Copy ${name}`} text={read} />
    </>
  );
}
