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
          ? 'Connected to another server. Keys, members, categories and creators are managed there.'
          : 'This dashboard shows its own server. It can connect to any other server with the same API.'
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
            Connect to another server
          </Button>
        )
      }
    >
      <p className="flex items-center gap-1">
        <code className="min-w-0 truncate">{apiUrl}</code>
        <CopyButton label="Copy URL" text={apiUrl} />
      </p>
      <ConnectForm open={asking} onOpenChange={setAsking} />
    </Panel>
  );
}
