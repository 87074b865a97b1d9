import { useState } from 'react';
import { currentApiKey } from '../../api/client.ts';
import { type ApiRequest, toCurl } from '../../api/request.ts';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Toggle } from '../../ui/toggle.tsx';

/** A request as a `curl` command. The key is left out until it is asked for: screens are shared. */
export function RequestDialog({ request, onClose }: { request: ApiRequest; onClose: () => void }) {
  const [withKey, setWithKey] = useState(false);
  const command = toCurl(request, withKey ? (currentApiKey() ?? '$KEY') : '$KEY');
  return (
    <ClosableDialog
      wide
      title="API request"
      description={
        <>
          This command returns the data on this page. Replace <code>$KEY</code> with an API key of the workspace.
        </>
      }
      onClose={onClose}
    >
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines are scrolled by keys
        tabIndex={0}
        aria-label="Command"
        className="mt-4 overflow-x-auto rounded-control bg-raised p-3 text-xs leading-relaxed"
      >
        {command}
      </pre>
      <div className="mt-3 flex items-center justify-between">
        <Toggle pressed={withKey} onChange={setWithKey}>
          Include API key
        </Toggle>
        <CopyButton label="Copy command" text={command}>
          Copy
        </CopyButton>
      </div>
    </ClosableDialog>
  );
}
