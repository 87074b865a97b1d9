import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { currentApiKey } from '../../api/client.ts';
import { type ApiRequest, toCurl } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Toggle } from '../../ui/toggle.tsx';

/** A request as a `curl` command. The key is left out until it is asked for: screens are shared. */
export function RequestDialog({ request, onClose }: { request: ApiRequest; onClose: () => void }) {
  const [withKey, setWithKey] = useState(false);
  const command = toCurl(request, withKey ? (currentApiKey() ?? '$KEY') : '$KEY');
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content className="fixed top-1/2 left-1/2 z-40 w-[min(42rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-card border border-line bg-surface p-5 shadow-float">
          <header className="flex items-center justify-between">
            <Dialog.Title className="text-base font-semibold">The same by the API</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="quiet" size="icon" aria-label="Close">
                <X aria-hidden />
              </Button>
            </Dialog.Close>
          </header>
          <Dialog.Description className="mt-1 leading-relaxed text-quiet">
            This gives a script what this page shows. <code>$KEY</code> stands for an API key of the workspace.
          </Dialog.Description>
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
              With the key
            </Toggle>
            <CopyButton label="Copy the command" text={command}>
              Copy
            </CopyButton>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
