import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { NavLink, Navigate, useParams } from 'react-router';
import { connection } from '../api/connection.ts';
import { createCreator } from '../api/generated/api/index.ts';
import {
  createCategory,
  deleteCategory,
  deleteCreator,
  renameCreator,
  renameWorkspaceMutation,
  type Session,
  updateCategory,
} from '../api/generated/dashboard/index.ts';
import { tagsOptions } from '../api/item-groups.ts';
import { categoriesOptions, creatorsOptions } from '../api/labels.ts';
import { workspaceOptions } from '../api/queries.ts';
import type { DescribedQuery } from '../api/request.ts';
import { adoptSession, sessionOptions } from '../api/session.ts';
import { sharesOptions } from '../api/shares.ts';
import { ConnectionPanel } from '../features/connection/connection-panel.tsx';
import { TagsPanel } from '../features/groups/tags-panel.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { ApiKeysPanel } from '../features/settings/api-keys-panel.tsx';
import { LabelsPanel } from '../features/settings/labels-panel.tsx';
import { MembersPanel } from '../features/settings/members-panel.tsx';
import { ProfilePanel } from '../features/settings/profile-panel.tsx';
import { WebhooksPanel } from '../features/settings/webhooks-panel.tsx';
import { SharesPanel } from '../features/share/shares-panel.tsx';
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
  categories: categoriesOptions,
  creators: creatorsOptions,
  tags: tagsOptions,
  'shared-links': sharesOptions,
  workspace: workspaceOptions,
};

const isOwner = ({ workspace }: Session): boolean => workspace.role === 'owner';

/** What each section shows. The connection needs no session. */
const contents: Record<Exclude<SettingsSectionId, 'connection'>, (session: Session) => ReactNode> = {
  'api-keys': (session) => <ApiKeysPanel owner={isOwner(session)} />,
  webhooks: (session) => <WebhooksPanel owner={isOwner(session)} />,
  members: (session) => <MembersPanel owner={isOwner(session)} personId={session.person.id} />,
  categories: () => <Categories />,
  creators: () => <Creators />,
  tags: () => <TagsPanel />,
  'shared-links': () => <SharesPanel />,
  workspace: (session) => <WorkspaceName session={session} owner={isOwner(session)} />,
  profile: ({ person }) => <ProfilePanel person={person} forget={forgetPerson} />,
};

/** Scrolls the link of the shown section into view: on a phone not all have room. */
const showIfCurrent = (link: HTMLAnchorElement | null): void => {
  if (link?.ariaCurrent === 'page') link.scrollIntoView({ block: 'nearest', inline: 'center' });
};

/** What owners and members manage. Each section has its own URL. */
export function SettingsPage() {
  const { section } = useParams();
  const session = useQuery({ ...sessionOptions, enabled: !connection }).data ?? null;
  // Keys, people and labels of another service are managed there.
  const offered = settingsSections.filter(({ id }) => !connection || id === 'connection');
  const { id: chosen, text: title = '' } = offered.find(({ id }) => id === section) ?? {};
  if (!chosen) return <Navigate to={paths.settings(offered[0]?.id)} replace />;
  return (
    <>
      <PageTitle>{`Settings: ${title}`}</PageTitle>
      <div className="mb-4 flex max-w-3xl items-center justify-between">
        <h1 className="text-xl font-semibold">Settings</h1>
        <ShowRequest of={requests[chosen]} />
      </div>
      <nav aria-label="Settings" className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
        {offered.map(({ id, text }) => (
          <NavLink
            key={id}
            ref={showIfCurrent}
            to={paths.settings(id)}
            className={({ isActive }) =>
              clsx(
                '-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap',
                isActive ? 'border-accent text-ink' : 'border-transparent text-quiet hover:text-ink',
              )
            }
          >
            {text}
          </NavLink>
        ))}
      </nav>
      <div className="max-w-3xl">
        {chosen === 'connection' ? <ConnectionPanel /> : session && contents[chosen](session)}
      </div>
    </>
  );
}

function Categories() {
  return (
    <LabelsPanel
      kind="category"
      about="Subjects to organise media by. An item has at most one, and every list and search can be filtered by it."
      list={useQuery(categoriesOptions)}
      queryKey={categoriesOptions.queryKey}
      create={(body) => createCategory({ body })}
      update={(id, body) => updateCategory({ path: { id }, body })}
      remove={(id) => deleteCategory({ path: { id } })}
    />
  );
}

function Creators() {
  return (
    <LabelsPanel
      kind="creator"
      about="The people who made the media. An item has at most one, and every list and search can be filtered by it."
      list={useQuery(creatorsOptions)}
      queryKey={creatorsOptions.queryKey}
      create={({ name }) => createCreator({ body: { name } })}
      update={(id, { name }) => renameCreator({ path: { id }, body: { name } })}
      remove={(id) => deleteCreator({ path: { id } })}
    />
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
