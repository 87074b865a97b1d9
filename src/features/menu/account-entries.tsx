import { useMutation, useQueryClient } from '@tanstack/react-query';
import { BookOpen, Check, CircleUser, LogOut, type LucideIcon, Monitor, Moon, Plug, Sun } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Link } from 'react-router';
import { type Session, switchWorkspaceMutation } from '../../api/generated/dashboard/index.ts';
import { adoptSession, forgetOtherQueries, sessionOptions, signOut } from '../../api/session.ts';
import { useDeveloperMode } from '../../lib/developer-mode.ts';
import { type Theme, themes, useTheme } from '../../lib/theme.ts';
import { paths } from '../../paths.ts';
import { Choice } from '../../ui/choice.tsx';
import { SignOutDialog } from './sign-out-dialog.tsx';

/**
 * Who is signed in, the workspaces of that person, the theme, and the way out.
 * @param session null while another service is shown
 * @param onDone is called when the menu is of no more use
 * @param forget removes what this browser keeps of the person
 */
export function AccountEntries({
  session,
  onDone,
  forget,
}: {
  session: Session | null;
  onDone: () => void;
  forget: () => Promise<void>;
}) {
  const [developer] = useDeveloperMode();
  return (
    <>
      {session ? <Person session={session} /> : null}
      {session && session.workspaces.length > 1 ? <Workspaces session={session} /> : null}
      <div className="px-2.5 py-2">
        <ThemeChoice />
      </div>
      <div className="mt-1 border-t border-line pt-1">
        {session ? (
          <Entry icon={CircleUser} to={paths.settings('profile')} onClick={onDone}>
            Profile
          </Entry>
        ) : (
          <Entry icon={Plug} to={paths.settings('connection')} onClick={onDone}>
            Connection
          </Entry>
        )}
        {developer ? (
          // The service itself serves this page, so the router does not know it.
          <Entry icon={BookOpen} to="/reference" reloadDocument>
            API reference
          </Entry>
        ) : null}
        {session ? <SignOut person={session.person} forget={forget} /> : null}
      </div>
    </>
  );
}

const Person = ({ session: { person, workspace } }: { session: Session }) => (
  <p className="border-b border-line px-2.5 pt-1 pb-2.5">
    <span className="block truncate font-semibold">{person.name}</span>
    <span className="block truncate text-label text-quiet">{person.email ?? workspace.name}</span>
  </p>
);

const row =
  'flex h-10 w-full items-center gap-3 rounded-control px-2.5 text-left hover:bg-raised pointer-coarse:h-11 [&_svg]:size-4 [&_svg]:text-quiet';

const Entry = ({ icon: Icon, children, ...props }: ComponentProps<typeof Link> & { icon: LucideIcon }) => (
  <Link {...props} className={row}>
    <Icon aria-hidden />
    {children}
  </Link>
);

/** Of a member of several. */
function Workspaces({ session: { workspace, workspaces } }: { session: Session }) {
  const client = useQueryClient();
  const change = useMutation({
    ...switchWorkspaceMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      // What is shown belongs to another workspace.
      forgetOtherQueries(client);
      window.location.assign(paths.library);
    },
  });
  return (
    <ul aria-label="Workspaces" className="max-h-60 overflow-y-auto border-b border-line py-1">
      {workspaces.map(({ id, name }) => (
        <li key={id}>
          <button
            type="button"
            aria-current={id === workspace.id}
            disabled={change.isPending}
            onClick={() => id !== workspace.id && change.mutate({ body: { workspace_id: id } })}
            className={row}
          >
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {id === workspace.id ? <Check aria-hidden /> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}

const themeLooks: Record<Theme, { icon: LucideIcon; text: string }> = {
  system: { icon: Monitor, text: 'System' },
  light: { icon: Sun, text: 'Light' },
  dark: { icon: Moon, text: 'Dark' },
};

/** Light, dark, or as the system has it. */
function ThemeChoice() {
  const [theme, setTheme] = useTheme();
  return (
    <Choice
      label="Theme"
      value={theme}
      options={themes.map((value) => ({ value, ...themeLooks[value] }))}
      onChange={(value) => setTheme(value ?? 'system')}
    />
  );
}

function SignOut({ person, forget }: { person: Session['person']; forget: () => Promise<void> }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const leave = useMutation({
    mutationFn: () => signOut(),
    onSuccess: () => {
      void forget();
      client.setQueryData(sessionOptions.queryKey, null);
      // What this person saw is not for the next one.
      forgetOtherQueries(client);
    },
  });
  return (
    <>
      <button
        type="button"
        className={row}
        disabled={leave.isPending}
        onClick={() => (person.has_password ? leave.mutate() : setAsked(true))}
      >
        <LogOut aria-hidden />
        Sign out
      </button>
      {asked ? (
        <SignOutDialog person={person} onClose={() => setAsked(false)} onSignOut={() => leave.mutate()} />
      ) : null}
    </>
  );
}
