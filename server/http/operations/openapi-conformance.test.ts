import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { describeApi, describeDashboardApi } from '../../../contract/openapi.ts';
import type { Access, Operation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { issueApiKey } from '../../catalog/accounts/api-keys.ts';
import { createInvitation } from '../../catalog/accounts/invitations.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { addSegments } from '../../catalog/texts/text-segments.ts';
import { addMember } from '../../testing/add-member.ts';
import { askForComments } from '../../testing/ask-for-comments.ts';
import { askForCopies } from '../../testing/ask-for-copies.ts';
import {
  askForGroups,
  askForGroupsBeyondLimit,
  askForHeldKey,
  askForKeyOfAnother,
} from '../../testing/ask-for-groups.ts';
import { askForImports, importedFrom } from '../../testing/ask-for-imports.ts';
import { askForLabels } from '../../testing/ask-for-labels.ts';
import { askForSamples } from '../../testing/ask-for-samples.ts';
import { askForSavedSearches } from '../../testing/ask-for-saved-searches.ts';
import { askForShares } from '../../testing/ask-for-shares.ts';
import { askForSources } from '../../testing/ask-for-sources.ts';
import { askForUploads, beginUploadAs } from '../../testing/ask-for-uploads.ts';
import { askForWebhooks } from '../../testing/ask-for-webhooks.ts';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { crowdWorkspace } from '../../testing/crowd-workspace.ts';
import { serveFullDisk } from '../../testing/full-disk-service.ts';
import { addLostFile } from '../../testing/lost-file.ts';
import { checkResponse, seenResponses } from '../../testing/openapi-checker.ts';
import { withPendingUpload } from '../../testing/pending-upload.ts';
import { type RawResponse, sendRaw } from '../../testing/raw-http.ts';
import { startTestService } from '../../testing/running-service.ts';
import {
  allOperations,
  createFileForm,
  type Credentials,
  headOf,
  sendOperation,
} from '../../testing/send-operation.ts';
import {
  type OperationId,
  type RequestOptions,
  unknownId,
  validRequests,
  wrongQueries,
} from '../../testing/valid-requests.ts';

/**
 * Provokes every status that the OpenAPI documents name, for every operation, on real services, and validates each response.
 * The tests only say how to provoke a status; the document decides whether the response is right.
 */

/** Sends a request of an operation and checks the answer. */
async function ask(service: { url: string }, id: OperationId, asked: RequestOptions, credentials: Credentials) {
  const { status, headers, body, problem } = await sendOperation(service.url, id, asked, credentials);
  if (problem !== null) throw new Error(problem);
  return { status, id: body?.data?.id ?? '', code: body?.error?.code, headers };
}

const said = { start: 0, end: 1, text: 'Good morning', language: 'en', box: null, confidence: 0.9 };

const ids = Object.keys(allOperations) as OperationId[];
const apiIds = Object.keys(operations) as OperationId[];

async function askAll(
  service: { url: string },
  which: OperationId[],
  credentials: Credentials,
  expected: number,
  more: RequestOptions = {},
) {
  for (const id of which) {
    const { status } = await ask(service, id, { ...validRequests[id], ...more }, credentials);
    expect(status, id).toBe(expected);
  }
}

test('every status of every operation conforms to the documents', { timeout: 480_000 }, async () => {
  await using sourceRoot = await temporaryFolder();
  await using service = await startTestService({
    maxUploadBytes: 2 ** 20,
    allowedAddresses: importedFrom,
    sourceRoots: [sourceRoot.path],
  });
  const { db, key, folder, workspaceId, client } = service;
  const cookie = (await service.signIn()).cookie();
  const photo = path.join(folder, 'photo.png');
  await makePhoto(photo, plain(200, 30, 30));
  const as = { key, cookie };
  const good = async (id: OperationId, asked: RequestOptions, status = allOperations[id]?.status ?? 200) => {
    const answer = await ask(service, id, asked, as);
    expect(answer.status, id).toBe(status);
    return answer;
  };

  // Successful requests and their consequences.
  const item = await good('uploadMedia', {
    form: await createFileForm(photo),
    headers: { 'Idempotency-Key': 'upload' },
  });
  await good('uploadMedia', { form: await createFileForm(photo) }, 200);
  await client.waitUntilIndexed(item.id);
  const { headers } = await good('getMedia', { id: item.id });
  await good('getMedia', { id: item.id, headers: { 'If-None-Match': headers.get('ETag') ?? '' } }, 304);
  const simple = `listMedia listMonths countFacets listPlaces searchMedia listHighlights mapHighlights listClips readClipSheet checkMedia listTrash
    moveToTrash restoreFromTrash listShares seeMentions listCreators listCategories listCollections listTags`;
  for (const id of simple.split(/\s+/) as OperationId[]) await good(id, validRequests[id] ?? {});
  for (const id of ['getWorkspace', 'listLostMedia', 'listConcepts', 'listMentions', 'streamEvents'] as const) {
    await good(id, {});
  }
  for (const id of ['listAspectRatios', 'getOpenApi'] as const) {
    const tag = (await good(id, {})).headers.get('ETag') ?? '';
    await good(id, { headers: { 'If-None-Match': tag } }, 304);
  }
  await askForShares(good, item.id, path.join(folder, 'data', 'assets', workspaceId, item.id, 'original'));
  await askForComments(good, item.id);
  await good('updateMedia', { id: item.id, json: { category_id: null } });
  await addSegments(db, { workspace_id: workspaceId, id: item.id }, 'speech', [said]);
  for (const id of ['listChunks', 'listTexts', 'listCaptionTracks', 'getCaptions', 'getFrame'] as const) {
    await good(id, { id: item.id });
  }
  await good('getFrame', { id: item.id, headers: { 'If-None-Match': '*' } }, 304);
  await good('searchMediaByImage', { json: { media_id: item.id } });
  const { id } = await good('createExport', { json: { format: 'csv', media_ids: [item.id] } });
  for (const operation of ['getExport', 'deleteExport'] as const) await good(operation, { id });
  const { creator, category } = await askForLabels(good);
  const groups = await askForGroups(good, item.id);

  // Conflicts and reuse.
  await good('createCreator', { json: { name: 'Cy' }, headers: { 'Idempotency-Key': 'ana' } }, 422);
  await askForKeyOfAnother(good, 'ana');
  const other = path.join(folder, 'other.png');
  await makePhoto(other, plain(1, 2, 3));
  await good('uploadMedia', { form: await createFileForm(other), headers: { 'Idempotency-Key': 'upload' } }, 422);
  await good('createUpload', beginUploadAs('upload'), 422);
  await withPendingUpload(service, 'held', () => askForHeldKey(good, 'held', other, item.id));
  await good('retryMedia', { id: item.id }, 409);

  // An item in error: it can be retried, but not searched by.
  await db.updateTable('media_items').set({ status: 'error', error_code: 'x', error_message: 'x' }).execute();
  for (const id of ['searchMediaByImage', 'searchMediaByVideo'] as const)
    await good(id, { json: { media_id: item.id } }, 409);
  await good('createExport', { json: { format: 'png', media_ids: [item.id] } }, 409);
  await good('createShare', { json: { media_id: item.id } }, 409);
  await good('getFrame', { id: item.id }, 409);
  await good('retryMedia', { id: item.id });
  await client.waitUntilIndexed(item.id);

  // Files that are not media, too large, or of the wrong kind.
  const text = path.join(folder, 'text.txt');
  await writeFile(text, 'no picture');
  await good('searchMediaByImage', { form: await createFileForm(text) }, 422);
  await askForCopies(good, item.id, await createFileForm(photo), await createFileForm(text));
  await good('uploadMedia', { form: await createFileForm(text) }, 415);
  const large = path.join(folder, 'large.bin');
  await writeFile(large, Buffer.alloc(2 ** 20 + 1));
  await good('uploadMedia', { form: await createFileForm(large) }, 413);
  await writeFile(large, Buffer.alloc(32 * 2 ** 20 + 1));
  await good('searchMediaByImage', { form: await createFileForm(large) }, 413);
  await askForImports(good, path.join(folder, 'imported.png'));
  for (const id of ids.filter((each) => allOperations[each]?.method !== 'GET')) {
    const asText = {
      json: {},
      ...validRequests[id],
      headers: { ...validRequests[id]?.headers, 'Content-Type': 'text/plain' },
    };
    expect((await ask(service, id, asText, as)).status, id).toBe(415);
    if (id === 'searchMediaByImage' || allOperations[id]?.bytes) continue;
    const long = { json: 'x'.repeat(2 ** 20), headers: validRequests[id]?.headers ?? {} };
    expect((await ask(service, id, long, as)).status, id).toBe(413);
    if (allOperations[id]?.body) expect((await ask(service, id, { json: [] }, as)).status, id).toBe(400);
  }
  await good('uploadMedia', { form: new FormData() }, 400);
  await good('searchMediaByImage', { json: {} }, 400);
  for (const id of ids.filter((each) => allOperations[each]?.path.includes(':id'))) {
    expect((await ask(service, id, { ...validRequests[id], id: 'nonsense' }, as)).status, id).toBe(400);
    expect((await ask(service, id, validRequests[id] ?? {}, as)).status, id).toBe(404);
  }
  await good('searchMediaByImage', { json: { media_id: unknownId } }, 404);
  await good('createExport', validRequests.createExport ?? {}, 404);
  for (const [id, query] of Object.entries(wrongQueries)) await good(id as OperationId, { query }, 400);
  await good('restoreLostMedia', { id: await addLostFile(service, photo) }, 202);
  await good('restoreLostMedia', { id: await addLostFile(service, text) }, 415);
  await askForGroupsBeyondLimit(good, db, workspaceId);
  await askForSavedSearches(good, db, workspaceId);
  await askForSources(good, db, workspaceId, sourceRoot.path);
  await askForUploads(good, db, workspaceId);
  await askForWebhooks(good, db);
  await savePlan(db, 'none', { media_items: 0, searches_per_month: 0, indexed_seconds: 0 });
  await assignPlan(db, workspaceId, 'none');
  await good('uploadMedia', { form: await createFileForm(other) }, 403);
  for (const id of ['importMedia', 'loadSamples'] as const) await good(id, validRequests[id] ?? {}, 403);
  await good('restoreLostMedia', { id: await addLostFile(service, other) }, 403);
  // A new plan takes effect on searches within a second.
  const search = () => ask(service, 'searchMedia', validRequests['searchMedia'] ?? {}, as);
  await vi.waitFor(async () => expect((await search()).status).toBe(403), 20_000);
  for (const id of ['searchMedia', 'listHighlights', 'mapHighlights'] as const)
    await good(id, validRequests[id] ?? {}, 403);
  for (const id of ['searchMediaByImage', 'searchMediaByVideo'] as const)
    await good(id, { json: { media_id: item.id } }, 403);
  await db.updateTable('media_items').set({ status: 'error' }).execute();
  await good('retryMedia', { id: item.id }, 403);
  await assignPlan(db, workspaceId, 'self-hosted');

  // People.
  const member = await addMember(service, 'member@example.org');
  const owned = ids.filter((id) => allOperations[id]?.access === 'owner');
  await askAll(service, owned, { cookie: member.cookie }, 403);
  await askAll(service, ['createSource', 'setPathMappings'], { key, cookie: member.cookie }, 403);
  await askAll(service, ['scanSource'], { key, cookie: member.cookie }, 403, { json: { accept_missing: true } });
  const me = (await (await fetch(`${service.url}/auth/session`, { headers: { cookie } })).json()) as {
    data: { person: { id: string } };
  };
  expect((await ask(service, 'removeMember', { id: me.data.person.id }, member)).status).toBe(403);
  await good('removeMember', { id: me.data.person.id }, 409);
  await good('changeRole', { id: me.data.person.id, json: { role: 'member' } }, 409);
  await good('changeRole', { id: member.person, json: { role: 'owner' } });
  await good('updateProfile', { json: { email: 'member@example.org' } }, 409);
  await good('updateProfile', { json: { name: 'Owner' } });
  await good('switchWorkspace', { json: { workspace_id: unknownId } }, 404);
  await good('switchWorkspace', { json: { workspace_id: workspaceId } });
  await good('renameWorkspace', { json: { name: 'Newsroom' } });
  for (const id of ['getSession', 'listApiKeys', 'listMembers', 'listInvitations'] as const) await good(id, {});
  const invitation = await good('createInvitation', { json: { role: 'member' } });
  await good('revokeInvitation', { id: invitation.id });
  const offer = await createInvitation(db, workspaceId, me.data.person.id, 'member');
  await good('readInvitation', { json: { token: offer?.token } });
  await good('readInvitation', { json: { token: 'unknown' } }, 404);
  const newcomer = { token: offer?.token, name: 'New', email: 'member@example.org', password: 'long enough to count' };
  expect((await ask(service, 'join', { json: newcomer }, {})).status).toBe(409);
  expect((await ask(service, 'join', { json: { ...newcomer, email: 'new@example.org' } }, {})).status).toBe(200);
  await good('join', { json: newcomer }, 404);
  await good('removeMember', { id: member.person });
  const issued = await issueApiKey(db, service.secrets, workspaceId);
  await good('revealApiKey', { id: issued.id });
  await good('createApiKey', { json: { name: 'Nightly import' } });
  const rotated = await good('rotateApiKey', { id: issued.id, json: { grace_hours: 1 } });
  await good('revokeApiKey', { id: rotated.id });
  await good('changePassword', { json: { new_password: 'long enough to count' } });
  // The same, quickly compared with the wrong ones that follow.
  await db
    .updateTable('people')
    .set({ password_hash: cheapHash('long enough to count') })
    .where('id', '=', me.data.person.id)
    .execute();
  await good('changePassword', { json: { current_password: 'wrong', new_password: 'long enough to count' } }, 403);
  for (let i = 0; i < 9; i++) {
    await ask(service, 'changePassword', { json: { current_password: 'x', new_password: 'long enough to count' } }, as);
  }
  await good('changePassword', { json: { current_password: 'x', new_password: 'long enough to count' } }, 429);
  await good('updateProfile', { json: { email: 'owner@example.org', current_password: 'x' } }, 429);
  const credentials = { email: 'new@example.org', password: 'long enough to count' };
  await good('signIn', { json: credentials });
  await good('signIn', { json: { ...credentials, password: 'wrong' } }, 401);
  // Guessing links until the IP address is throttled.
  for (let i = 0; i < 50; i++) await ask(service, 'readInvitation', { json: { token: 'guess' } }, {});
  for (const id of ['readInvitation', 'join', 'signIn'] as const) await good(id, validRequests[id] ?? {}, 429);

  // Another site.
  const foreign = { headers: { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' } };
  await askAll(service, Object.keys(dashboardOperations) as OperationId[], { cookie }, 403, foreign);

  // Nobody.
  await askAll(
    service,
    ids.filter((id) => !['anyone', 'visitor'].includes(allOperations[id]?.access ?? '')),
    {},
    401,
  );

  // What is removed last.
  await good('deleteCollection', { id: groups.collection });
  await good('deleteTag', { id: groups.tag });
  await good('deleteCategory', { id: category });
  await good('deleteCreator', { id: creator });
  await good('deleteMedia', { id: item.id });
  const again = await good('uploadMedia', { form: await createFileForm(photo) });
  await client.post('/trash', { ids: [again.id] });
  await good('deleteFromTrash', { id: again.id });
  await good('emptyTrash', {});
  const spare = await addMember(service, 'spare@example.org');
  expect((await ask(service, 'signOutEverywhere', {}, { cookie: spare.cookie })).status).toBe(200);
  expect((await ask(service, 'signOut', {}, { cookie: spare.cookie })).status).toBe(200);
  // Last, so that a worker does not index them meanwhile.
  await askForSamples(good, db, workspaceId);

  // While the service stops.
  let stopped: Promise<void> | undefined;
  await withPendingUpload(service, 'last', async () => {
    stopped = service.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await askAll(service, ids, as, 503);
  });
  await stopped;
});

test('a key above the rate limit gets Retry-After, on every operation', async () => {
  await using service = await startTestService({ workers: 0, requestsPerMinute: 1 });
  await ask(service, 'getWorkspace', {}, service);
  await askAll(
    service,
    apiIds.filter((id) => id !== 'getOpenApi'),
    service,
    429,
  );
});

test('too many requests of a workspace, or of visitors, in progress are throttled, on every operation of the dashboard', async () => {
  await using service = await startTestService({ workers: 0 });
  const cookie = (await service.signIn()).cookie();
  await savePlan(service.db, 'self-hosted', { requests_at_once: 1, image_searches_at_once: 1 });
  const half = (id: OperationId, count: number) =>
    Array<string>(count).fill(
      `${headOf(id, service)}Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    );
  const crowd = (heads: string[], path: string, method = 'GET') =>
    crowdWorkspace(service.url, heads, (signal) =>
      fetch(service.url + path, { method, headers: { Authorization: `Bearer ${service.key}` }, signal }),
    );
  const forAccess = (...access: Access[]) => ids.filter((id) => access.includes(allOperations[id]?.access as Access));
  {
    using _light = await crowd(half('createCreator', 257), `${basePath}/media`);
    using _heavy = await crowd(half('searchMediaByImage', 65), `${basePath}/media/search/image`, 'POST');
    using _visitors = await crowd(half('signIn', 64), '/auth/session');
    await askAll(service, forAccess('member', 'owner'), { cookie }, 429);
    await askAll(service, forAccess('visitor'), {}, 429);
  }
  await expect.poll(async () => (await ask(service, 'listMembers', {}, { cookie })).status).toBe(200);
});

test('an internal error shows no internals, on every operation', async () => {
  await using service = await startTestService({ workers: 0, logLevel: 'silent' });
  const cookie = (await service.signIn()).cookie();
  for (const table of ['api_keys', 'sessions', 'sign_in_links', 'invitations']) {
    await service.db.schema.alterTable(table).renameTo(`lost_${table}`).execute();
  }
  // The description needs no database, so it cannot be made to fail.
  await askAll(
    service,
    ids.filter((id) => id !== 'getOpenApi'),
    { key: service.key, cookie },
    500,
  );
});

function check(id: OperationId, url: string, { status, headers, body }: RawResponse, expected: number): void {
  expect(status, id).toBe(expected);
  const { method, path: template } = allOperations[id] as Operation;
  const address = `${url}${id in operations ? basePath : ''}${template.replace(':id', unknownId)}`;
  checkResponse(method, address, new Response(null, { status, headers }), body);
}

test('an invalid request head is refused, on every operation', async () => {
  await using service = await startTestService({ workers: 0 });
  const as = { ...service, cookie: (await service.signIn()).cookie() };
  for (const id of ids) {
    const head = headOf(id, as);
    const send = (more: string) => sendRaw(service.url, `${head}${more}\r\n\r\n`);
    check(id, service.url, await send('Host: other.example'), 400);
    check(id, service.url, await send('Expect: miracles'), 417);
    check(id, service.url, await send(`X-Long: ${'x'.repeat(20_000)}`), 431);
  }
});

test('a full disk is reported on every operation', async () => {
  await using full = await serveFullDisk({});
  for (const id of ids) check(id, full.url, await sendRaw(full.url, `${headOf(id, full)}\r\n`), 507);
});

test('a request head that does not arrive in time gets 408, on every operation', async () => {
  const http = { connectionsCheckingInterval: 20, headersTimeout: 40 };
  await using impatient = await serveFullDisk({ http, requestTimeout: 40 });
  for (const id of ids) check(id, impatient.url, await sendRaw(impatient.url, headOf(id, impatient)), 408);
});

test('every status in the documents was tested', () => {
  const documented = [describeApi(''), describeDashboardApi('')].flatMap((document) =>
    Object.values(
      document['paths'] as Record<string, Record<string, { operationId: string; responses: object }>>,
    ).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, responses }) =>
        Object.keys(responses).map((status) => `${operationId} ${status}`),
      ),
    ),
  );
  expect(documented.filter((each) => !seenResponses.has(each))).toEqual(['getOpenApi 500']);
});
