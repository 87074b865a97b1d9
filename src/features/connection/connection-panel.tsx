import { Plug, Unplug } from 'lucide-react';
import { useState } from 'react';
import { apiUrl, connection, connectTo } from '../../api/connection.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ConnectForm } from './connect-form.tsx';

/** Which service the dashboard shows, and how to show another of the same API. */
export function ConnectionPanel() {
  const [asking, setAsking] = useState(false);
  return (
    <Panel
      title="Connection"
      description={
        connection
          ? 'The dashboard shows another service. Keys, members, categories and creators are managed there.'
          : 'The dashboard shows its own service. It can show any other of the same API, by URL and key.'
      }
      action={
        connection ? (
          <Button onClick={() => connectTo(null)}>
            <Unplug aria-hidden />
            Disconnect
          </Button>
        ) : (
          <Button onClick={() => setAsking(true)}>
            <Plug aria-hidden />
            Connect to another service
          </Button>
        )
      }
    >
      <p className="flex items-center gap-1">
        <code className="min-w-0 truncate">{apiUrl}</code>
        <CopyButton label="Copy the URL" text={apiUrl} />
      </p>
      <ConnectForm open={asking} onOpenChange={setAsking} />
    </Panel>
  );
}
