import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { toast } from './toast.ts';

/** Copies a text, and shows for a moment that it did. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => Promise<string>);
  label: string;
  children?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      setCopied(true);
    } catch {
      toast.error('The browser did not allow copying. Select the text and copy it yourself.');
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <Button
      variant="quiet"
      size={children ? 'regular' : 'icon'}
      aria-label={label}
      title={label}
      className="relative"
      onClick={() => void copy()}
    >
      <Icon aria-hidden className={copied ? 'text-good' : ''} />
      {children}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </Button>
  );
}
