import { queryOptions } from '@tanstack/react-query';
import { api, dashboardApi, readAllPages, unwrap } from './client.ts';
import type { Session } from './generated/dashboard-api.ts';

export type { ApiKey, Invitation, Member, Session } from './generated/dashboard-api.ts';

export const apiKeysOptions = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async ({ signal }) => (await unwrap(dashboardApi.GET('/manage/api-keys', { signal }))).data,
});

export const membersOptions = queryOptions({
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await unwrap(dashboardApi.GET('/manage/members', { signal }))).data,
});

export const invitationsOptions = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await unwrap(dashboardApi.GET('/manage/invitations', { signal }))).data,
});

/** Files of the workspace that the catalog does not list any more; for its owners. */
export const lostMediaOptions = queryOptions({
  queryKey: ['lost-media'],
  queryFn: async ({ signal }) => (await unwrap(dashboardApi.GET('/manage/lost-media', { signal }))).data,
});

/** All creators, by name. */
export const creatorsOptions = queryOptions({
  queryKey: ['creators'],
  queryFn: ({ signal }) =>
    readAllPages((page) => unwrap(api.GET('/creators', { params: { query: { page, per_page: 100 } }, signal }))),
  meta: { request: { path: '/creators', query: { per_page: 100 } } },
  staleTime: 30_000,
});

/** All categories, by name. */
export const categoriesOptions = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) =>
    readAllPages((page) => unwrap(api.GET('/categories', { params: { query: { page, per_page: 100 } }, signal }))),
  meta: { request: { path: '/categories', query: { per_page: 100 } } },
  staleTime: 30_000,
});

const byId = (id: string) => ({ params: { path: { id } } });

export const revealApiKey = async (id: string) =>
  (await unwrap(dashboardApi.GET('/manage/api-keys/{id}/secret', byId(id)))).data.key;
export const createApiKey = async () => (await unwrap(dashboardApi.POST('/manage/api-keys'))).data;
export const rotateApiKey = async ({ id, grace_hours }: { id: string; grace_hours: number }) =>
  (await unwrap(dashboardApi.POST('/manage/api-keys/{id}/rotate', { ...byId(id), body: { grace_hours } }))).data;
export const revokeApiKey = async (id: string) =>
  (await unwrap(dashboardApi.DELETE('/manage/api-keys/{id}', byId(id)))).data;

/** Makes a lost file an item again. */
export const restoreLostMedia = async (id: string) =>
  (await unwrap(dashboardApi.POST('/manage/lost-media/{id}/restore', byId(id)))).data;

export const changeRole = async ({ id, role }: { id: string; role: 'owner' | 'member' }) =>
  (await unwrap(dashboardApi.PATCH('/manage/members/{id}', { ...byId(id), body: { role } }))).data;
export const removeMember = async (id: string) =>
  (await unwrap(dashboardApi.DELETE('/manage/members/{id}', byId(id)))).data;
export const createInvitation = async (role: 'owner' | 'member') =>
  (await unwrap(dashboardApi.POST('/manage/invitations', { body: { role } }))).data;
export const revokeInvitation = async (id: string) =>
  (await unwrap(dashboardApi.DELETE('/manage/invitations/{id}', byId(id)))).data;

export const createCategory = async (body: { name: string; description: string }) =>
  (await unwrap(dashboardApi.POST('/manage/categories', { body }))).data;
export const updateCategory = async ({ id, ...body }: { id: string; name: string; description: string }) =>
  (await unwrap(dashboardApi.PATCH('/manage/categories/{id}', { ...byId(id), body }))).data;
export const deleteCategory = async (id: string) =>
  (await unwrap(dashboardApi.DELETE('/manage/categories/{id}', byId(id)))).data;
export const createCreator = async (body: { name: string }) => (await unwrap(api.POST('/creators', { body }))).data;
export const renameCreator = async ({ id, name }: { id: string; name: string }) =>
  (await unwrap(dashboardApi.PATCH('/manage/creators/{id}', { ...byId(id), body: { name } }))).data;
export const deleteCreator = async (id: string) =>
  (await unwrap(dashboardApi.DELETE('/manage/creators/{id}', byId(id)))).data;

export const updateProfile = async (body: { name?: string; email?: string }): Promise<Session> =>
  (await unwrap(dashboardApi.PATCH('/auth/profile', { body }))).data;
export const changePassword = async (body: { current_password?: string; new_password: string }): Promise<Session> =>
  (await unwrap(dashboardApi.POST('/auth/password', { body }))).data;
/** Has sample clips and pictures drawn. Takes some seconds. */
export const loadSamples = async () => (await unwrap(dashboardApi.POST('/manage/samples'))).data;

export const renameWorkspace = async (name: string): Promise<Session> =>
  (await unwrap(dashboardApi.PATCH('/manage/workspace', { body: { name } }))).data;
export const switchWorkspace = async (workspace_id: string): Promise<Session> =>
  (await unwrap(dashboardApi.POST('/auth/workspace', { body: { workspace_id } }))).data;
