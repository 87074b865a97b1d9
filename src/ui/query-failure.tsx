import { CloudOff } from 'lucide-react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Says that something could not be loaded, with what support needs to find out why, and tries again. */
export function QueryFailure({
  error,
  onRetry,
}: {
  error: Error & { code?: string; requestId?: string | null };
  onRetry: () => void;
}) {
  return (
    <Notice icon={CloudOff} title="This could not be loaded" action={<Button onClick={onRetry}>Try again</Button>}>
      <p role="alert">{error.message}</p>
      {error.code ? (
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
