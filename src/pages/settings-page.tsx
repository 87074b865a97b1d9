import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ArrowLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, Navigate, useParams, useSearchParams } from 'react-router';
import { connection } from '../api/connection.ts';
import { renameWorkspaceMutation, type Session } from '../api/generated/dashboard/index.ts';
import { creatorsOptions, type LabelKind } from '../api/labels.ts';
import { workspaceOptions } from '../api/queries.ts';
import type { DescribedQuery } from '../api/request.ts';
import { adoptSession, sessionOptions } from '../api/session.ts';
import { sharesOptions } from '../api/shares.ts';
import { sourcesOptions } from '../api/sources.ts';
import { ConnectionPanel } from '../features/connection/connection-panel.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { ApiKeysPanel } from '../features/settings/api-keys-panel.tsx';
import { LabelsPanel, titleOf } from '../features/settings/labels-panel.tsx';
import { MembersPanel } from '../features/settings/members-panel.tsx';
import { ProfilePanel } from '../features/settings/profile-panel.tsx';
import { WebhooksPanel } from '../features/settings/webhooks-panel.tsx';
import { SharesPanel } from '../features/share/shares-panel.tsx';
import { PathMappingsPanel } from '../features/sources/path-mappings-panel.tsx';
import { SourcesPanel } from '../features/sources/sources-panel.tsx';
import { forgetPerson } from '../forget-person.ts';
import { fieldsOf } from '../lib/form-fields.ts';
import { type SettingsSectionId, settingsSections } from '../navigation.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Panel } from '../ui/panel.tsx';
import { TextField } from '../ui/text-field.tsx';
import { toast } from '../ui/toast.ts';

/** The API request behind a section; the other sections have none in the published API. */
const requests: { [Id in SettingsSectionId]?: DescribedQuery } = {
  'api-keys': workspaceOptions,
  labels: creatorsOptions,
  'shared-links': sharesOptions,
  sources: sourcesOptions,
  workspace: workspaceOptions,
};

const isOwner = ({ workspace }: Session): boolean => workspace.role === 'owner';

/** What each section shows. The connection needs no session. */
const contents: Record<Exclude<SettingsSectionId, 'connection'>, (session: Session) => ReactNode> = {
  'api-keys': (session) => <ApiKeysPanel owner={isOwner(session)} />,
  webhooks: (session) => <WebhooksPanel owner={isOwner(session)} />,
  members: (session) => <MembersPanel owner={isOwner(session)} personId={session.person.id} />,
  labels: () => <Labels />,
  'shared-links': () => <SharesPanel />,
  sources: (session) => (
    <div className="space-y-5">
      <SourcesPanel owner={isOwner(session)} />
      <PathMappingsPanel owner={isOwner(session)} />
    </div>
  ),
  workspace: (session) => <WorkspaceName session={session} owner={isOwner(session)} />,
  profile: ({ person }) => <ProfilePanel person={person} forget={forgetPerson} />,
};

/** Where sections are that had addresses of their own. */
const movedSections: Record<string, string> = {
  categories: 'labels?kind=category',
  creators: 'labels?kind=creator',
  tags: 'labels?kind=tag',
};

/** What owners and members manage. Each section has its own URL; a phone shows the menu of all at the URL without one. */
export function SettingsPage() {
  const { section } = useParams();
  const session = useQuery({ ...sessionOptions, enabled: !connection }).data ?? null;
  // Keys, people and labels of another service are managed there.
  const offered = settingsSections.filter(({ id }) => !connection || id === 'connection');
  const first = offered[0]?.id;
  const { id: chosen = first, text: title = 'Settings' } = offered.find(({ id }) => id === section) ?? {};
  const moved = movedSections[section ?? ''];
  if (moved) return <Navigate to={paths.settings(moved)} replace />;
  if (!chosen || (section !== undefined && chosen !== section)) return <Navigate to={paths.settings()} replace />;
  const isMenu = section === undefined;
  // A phone shows one of them.
  const [MenuTitle, SectionTitle] = isMenu ? (['h1', 'h2'] as const) : (['p', 'h1'] as const);
  return (
    <>
      <PageTitle>{isMenu ? 'Settings' : `Settings: ${title}`}</PageTitle>
      <div className="mx-auto flex max-w-5xl gap-8 lg:gap-12">
        <aside className={clsx('w-full shrink-0 md:w-44', !isMenu && 'max-md:hidden')}>
          <MenuTitle className="mb-4 text-xl font-semibold md:px-2.5">Settings</MenuTitle>
          <SettingsMenu offered={offered} chosen={isMenu ? first : chosen} />
        </aside>
        <div className={clsx('min-w-0 flex-1', isMenu && 'max-md:hidden')}>
          {/* Beside the menu, the panels name the section. */}
          <div className="flex items-center gap-2 max-md:mb-4">
            <IconLink to={paths.settings()} icon={ArrowLeft} label="All settings" className="-ml-2.5 md:hidden" />
            <SectionTitle className="flex-1 text-lg font-semibold md:sr-only">
              {isMenu ? offered[0]?.text : title}
            </SectionTitle>
            <ShowRequest of={requests[chosen]} />
          </div>
          {chosen === 'connection' ? <ConnectionPanel /> : session && contents[chosen](session)}
        </div>
      </div>
    </>
  );
}

/** @param chosen the section that is shown beside it */
const SettingsMenu = ({
  offered,
  chosen,
}: {
  offered: readonly (typeof settingsSections)[number][];
  chosen: SettingsSectionId | undefined;
}) => (
  <nav aria-label="Settings" className="space-y-5 md:sticky md:top-20">
    {[...Map.groupBy(offered, ({ group }) => group)].map(([group, sections]) => (
      <section key={group} aria-label={group}>
        <h2 className="mb-1 px-2.5 text-xs font-medium text-quiet">{group}</h2>
        <ul className="max-md:divide-y max-md:divide-line max-md:rounded-card max-md:border max-md:border-line max-md:bg-surface">
          {sections.map(({ id, text }) => (
            <li key={id}>
              <Link
                to={paths.settings(id)}
                aria-current={id === chosen ? 'page' : undefined}
                className={clsx(
                  'flex h-11 items-center rounded-control px-3 md:h-9 md:px-2.5',
                  id === chosen
                    ? 'font-medium md:bg-accent-soft md:text-accent'
                    : 'md:text-quiet md:hover:bg-raised md:hover:text-ink',
                )}
              >
                <span className="flex-1">{text}</span>
                <ChevronRight className="size-4 text-quiet md:hidden" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
);

const IconLink = ({
  to,
  icon: Icon,
  label,
  className,
}: {
  to: string;
  icon: LucideIcon;
  label: string;
  className: string;
}) => (
  <Button asChild variant="quiet" size="icon" className={className}>
    <Link to={to} aria-label={label} title={label}>
      <Icon aria-hidden />
    </Link>
  </Button>
);

const labelKinds: readonly LabelKind[] = ['creator', 'category', 'tag', 'collection'];

/** All labels, by their kinds. The URL holds the kind that is shown. */
function Labels() {
  const [search] = useSearchParams();
  const shown = labelKinds.find((kind) => kind === search.get('kind')) ?? 'creator';
  return (
    <>
      <nav aria-label="Kinds of labels" className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {labelKinds.map((kind) => (
          <Link
            key={kind}
            to={{ search: `?kind=${kind}` }}
            aria-current={kind === shown ? 'page' : undefined}
            className={clsx(
              'flex h-10 items-center border-b-2 px-3 font-medium whitespace-nowrap pointer-coarse:h-11',
              kind === shown ? 'border-accent text-ink' : 'border-transparent text-quiet hover:text-ink',
            )}
          >
            {titleOf(kind)}
          </Link>
        ))}
      </nav>
      <LabelsPanel key={shown} kind={shown} />
    </>
  );
}

function WorkspaceName({ session, owner }: { session: Session; owner: boolean }) {
  const client = useQueryClient();
  const rename = useMutation({
    ...renameWorkspaceMutation(),
    onSuccess: async ({ data: renamed }) => {
      await adoptSession(client, renamed);
      toast.success('Workspace renamed.');
    },
  });
  return (
    <Panel title="Name" description={owner ? undefined : 'Only owners of the workspace can rename it.'}>
      <form
        className="flex max-w-sm items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ body: { name: fieldsOf(event.currentTarget)['name'] ?? '' } });
        }}
      >
        <div className="flex-1">
          <TextField
            label="Workspace name"
            name="name"
            defaultValue={session.workspace.name}
            maxLength={120}
            required
            disabled={!owner}
          />
        </div>
        {owner ? (
          <Button type="submit" disabled={rename.isPending}>
            Rename
          </Button>
        ) : null}
      </form>
    </Panel>
  );
}
