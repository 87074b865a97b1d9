import { CloudOff } from 'lucide-react';
import { describeError } from '../lib/describe-error.ts';
import { useDeveloperMode } from '../lib/developer-mode.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Says that something could not be loaded, in developer mode with what support needs to find out why, and tries again. */
export function QueryFailure({
  error,
  onRetry,
}: {
  error: Error & { code?: string; requestId?: string | null; details?: readonly { path: string; message: string }[] };
  onRetry: () => void;
}) {
  const [developer] = useDeveloperMode();
  return (
    <Notice icon={CloudOff} title="This could not be loaded" action={<Button onClick={onRetry}>Try again</Button>}>
      <p role="alert">{describeError(error)}</p>
      {error.code && developer ? (
        <p className="mt-2 text-xs">
          <code>{error.code}</code>
          {error.requestId ? (
            <>
              {' '}
              · Request ID <code>{error.requestId}</code>
            </>
          ) : null}
        </p>
      ) : null}
    </Notice>
  );
}
