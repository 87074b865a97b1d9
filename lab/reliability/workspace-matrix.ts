import { plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import {
  allOperations,
  createFileForm,
  type Credentials,
  type Reply,
  sendOperation,
} from '../../server/testing/send-operation.ts';
import {
  type OperationId,
  type RequestOptions,
  unknownId,
  validRequests,
} from '../../server/testing/valid-requests.ts';
import { startCampaign } from './campaign/campaign.ts';
import { createFilledWorkspace, describeWorkspace, type FilledWorkspace } from './campaign/filled-workspace.ts';
import { campaignSettings, startServiceProcess } from './campaign/service-process.ts';

/**
 * Three workspaces on one service. Every operation runs with every kind of identifier of another workspace, as each role without access.
 * No response may reveal anything of the other workspace, not even that it exists.
 *
 *     npm run node -- lab/reliability/workspace-matrix.ts
 *
 * Violations: a response to an identifier of another workspace that differs from the response to an unknown one, a secret of the other
 * workspace in a response, a status that does not fit the role, a change in the other workspace.
 */

const campaign = startCampaign('workspace-matrix', { rounds: 6, seconds: 600 });
const { count, violation } = campaign;
const ids = Object.keys(allOperations) as OperationId[];
/** A response without the parts that always differ: times, and the requested identifier. */
const comparable = ({ status, text }: Reply, named: string): string =>
  `${status} ${text.replaceAll(named, '<id>').replaceAll(/"took_ms":[\d.]+|"(?:computed_at|updated_at)":"[^"]*"/g, '')}`;

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
const service = await startServiceProcess({ ...campaignSettings, DATA_DIR: dataDirectory });
const place = { url: service.url, dataDirectory, folder: folder.path };
const victim = await createFilledWorkspace(place, 'My workspace', 'zanzibar', plain(200, 30, 30));
const stranger = await createFilledWorkspace(place, 'Strangers', 'quokka', plain(30, 160, 40));
const bystander = await createFilledWorkspace(place, 'Bystanders', 'umbrella', plain(20, 40, 200));
const before = await describeWorkspace(service.url, victim);

const parts = [identifiersOfOthers, filtersAndChecksums, searches, fileUrls, roles, revokedCredentials];
for (const round of campaign.rounds()) await parts[round]?.();

if ((await describeWorkspace(service.url, victim)) !== before) violation('change', 'The other workspace has changed.');
const status = await service.stop();
if (status !== '0') violation('end', `The service ended with ${status}.`);
campaign.report();

/** Sends a request of an operation. A response that does not match its schema is a violation. */
async function sendRequest(id: OperationId, asked: RequestOptions, credentials: Credentials): Promise<Reply> {
  count('cells');
  const reply = await sendOperation(service.url, id, asked, credentials);
  if (reply.problem !== null) violation('not as described', `${id}: ${reply.problem.slice(0, 400)}`);
  return reply;
}

/** What other workspaces must never see: the word in all names and texts, identifiers, checksums and keys. */
function secretsOf({ word, id, key, identifiers, sha256 }: FilledWorkspace): string[] {
  return [word, id, key, sha256, ...Object.values(identifiers)];
}

/** Records a violation when a response contains a secret of a workspace that the request itself did not contain. */
function checkNoLeak({ text }: Reply, owner: FilledWorkspace, what: string, named: string[] = []): void {
  const seen = secretsOf(owner).filter((secret) => !named.includes(secret) && text.includes(secret));
  if (seen.length > 0) violation('shown', `${what} shows ${seen.join(', ')}: ${text.slice(0, 300)}`);
}

/** Every operation with an identifier in its path or body, with every kind of identifier: the response equals that to an unknown one. */
async function identifiersOfOthers(): Promise<void> {
  const own = stranger.identifiers;
  const inBody: [OperationId, (id: string) => RequestOptions][] = [
    ['searchMediaByImage', (id) => ({ json: { media_id: id } })],
    ['searchMediaByImage', (id) => ({ json: { media_id: id, at: 0.5 } })],
    ['searchMediaByImage', (id) => ({ json: { media_id: id, chunk_id: id } })],
    ['searchMediaByImage', (id) => ({ json: { media_id: own.item, chunk_id: id } })],
    ['searchMediaByImage', (id) => ({ json: { media_id: own.item, creator_id: id } })],
    ['searchMediaByImage', (id) => ({ json: { media_id: own.item, category_id: id } })],
    ['updateMedia', (id) => ({ id: own.item, json: { creator_id: id } })],
    ['updateMedia', (id) => ({ id: own.item, json: { category_id: id } })],
    ['mergeTag', (id) => ({ id: own.tag, json: { into: id } })],
    ['changeCollectionItems', (id) => ({ id: own.collection, json: { add: [id] } })],
    ['createShare', (id) => ({ json: { media_id: id } })],
    ['createExport', (id) => ({ json: { format: 'csv', media_ids: [id] } })],
    ['moveToTrash', (id) => ({ json: { ids: [id] } })],
    ['restoreFromTrash', (id) => ({ json: { ids: [id] } })],
    ['switchWorkspace', (id) => ({ json: { workspace_id: id } })],
    ['listClips', (id) => ({ query: `?ids=${id}` })],
    ['listClips', (id) => ({ query: `?ids=${own.chunk},${id}` })],
  ];
  const inPath = ids
    .filter((id) => allOperations[id]?.path.includes(':id'))
    .map((id): [OperationId, (target: string) => RequestOptions] => [
      id,
      (target) => ({ ...validRequests[id], id: target }),
    ]);
  for (const [operation, asked] of [...inPath, ...inBody]) {
    for (const [kind, foreign] of Object.entries(victim.identifiers)) {
      for (const [who, browser] of [
        ['owner', stranger.owner],
        ['member', stranger.member],
      ] as const) {
        // A key is the same for both.
        if (who === 'member' && allOperations[operation]?.access === 'key') continue;
        const credentials = { key: stranger.key, cookie: browser.cookie() };
        const unknown = await sendRequest(operation, asked(unknownId), credentials);
        const reply = await sendRequest(operation, asked(foreign), credentials);
        const what = `${operation} with the ${kind} of another, as ${who}`;
        checkNoLeak(reply, victim, what, [foreign]);
        if (comparable(reply, foreign) !== comparable(unknown, unknownId)) {
          violation(
            'differs from unknown',
            `${what}: ${reply.status} ${reply.text.slice(0, 300)} instead of ${unknown.status} ${unknown.text.slice(0, 300)}`,
          );
        }
        if (asked(foreign).id === foreign && reply.status !== 404 && reply.status !== 403) {
          violation('status', `${what}: ${reply.status}`);
        }
      }
    }
  }
}

/** Filters by identifiers of others, uploads filed under them, and checksums of their files. */
async function filtersAndChecksums(): Promise<void> {
  const credentials = { key: stranger.key };
  const filtered: [OperationId, string][] = [
    ['listMedia', '?'],
    ['searchMedia', '?q=red&'],
    ['searchMedia', '?q=red&dedupe=1&rerank=1&'],
    ['listHighlights', '?method=knn&'],
    ['listHighlights', '?method=lof&'],
    ['listHighlights', '?method=centroid&'],
    ['mapHighlights', '?'],
  ];
  for (const [operation, query] of filtered) {
    for (const [kind, foreign] of Object.entries(victim.identifiers)) {
      for (const name of ['creator_id', 'category_id']) {
        const unknown = await sendRequest(operation, { query: `${query}${name}=${unknownId}` }, credentials);
        const reply = await sendRequest(operation, { query: `${query}${name}=${foreign}` }, credentials);
        const what = `${operation} by ${name} with the ${kind} of another`;
        checkNoLeak(reply, victim, what, [foreign]);
        if (comparable(reply, foreign) !== comparable(unknown, unknownId)) {
          violation('differs from unknown', `${what}: ${reply.text.slice(0, 300)}`);
        }
      }
    }
  }
  const known = await sendRequest('checkMedia', { json: { sha256: [victim.sha256, '0'.repeat(64)] } }, credentials);
  if (!known.text.includes(`"${victim.sha256}","media_id":null`))
    violation('differs from unknown', `checkMedia: ${known.text}`);
  for (const field of ['creator_id', 'category_id']) {
    for (const foreign of Object.values(victim.identifiers)) {
      const reply = await sendRequest(
        'uploadMedia',
        { form: await createFileForm(victim.files[1] ?? '', { [field]: foreign }) },
        credentials,
      );
      const unknown = await sendRequest(
        'uploadMedia',
        { form: await createFileForm(victim.files[1] ?? '', { [field]: unknownId }) },
        credentials,
      );
      if (comparable(reply, foreign) !== comparable(unknown, unknownId))
        violation('differs from unknown', `upload: ${reply.text}`);
    }
  }
}

/** All lists, searches and counts. */
async function searches(): Promise<void> {
  for (const tenant of [stranger, bystander]) {
    const credentials = { key: tenant.key, cookie: tenant.owner.cookie() };
    const requests: [OperationId, RequestOptions][] = [
      ['listMedia', { query: '?per_page=100' }],
      ['listMedia', { query: `?q=${victim.word}` }],
      ['searchMedia', { query: `?q=${victim.word}` }],
      ['searchMedia', { query: `?q=%22${victim.word}+talk%22` }],
      ['searchMedia', { query: `?q=red+${victim.word}&n=100` }],
      ['searchMedia', { query: `?q=red&rerank=1&n=100` }],
      ['searchMedia', { query: `?q=red+-green&dedupe=1&n=100` }],
      ['searchMediaByImage', { form: await createFileForm(victim.files[0] ?? '') }],
      ['searchMediaByImage', { form: await createFileForm(victim.files[1] ?? '') }],
      ['searchMediaByImage', { json: { media_id: tenant.identifiers.item, n: 100 } }],
      ['listHighlights', { query: '?n=100' }],
      ['mapHighlights', {}],
      ['mapHighlights', { query: '?layout=umap' }],
      ['listCreators', {}],
      ['listCreators', { query: `?q=${victim.word}` }],
      ['listCategories', {}],
      ['getWorkspace', {}],
      ['getSession', {}],
      ['listApiKeys', {}],
      ['listMembers', {}],
      ['listInvitations', {}],
    ];
    for (const [operation, asked] of requests) {
      const reply = await sendRequest(operation, asked, credentials);
      if (![200, 422].includes(reply.status))
        violation('status', `${operation}: ${reply.status} ${reply.text.slice(0, 200)}`);
      // The response repeats the query.
      const echoes = asked.query?.includes(victim.word) ? [victim.word] : [];
      checkNoLeak(reply, victim, operation, echoes);
      checkNoLeak(reply, tenant === stranger ? bystander : stranger, operation);
    }
  }
}

/** Signed URLs, with each of their parts changed. */
async function fileUrls(): Promise<void> {
  const items = await Promise.all(
    [victim, stranger].map(async ({ key, identifiers }) =>
      createTestClient(service.url, key).get<{ url: string; download_url: string; thumbnail: string }>(
        `/media/${identifiers.item}`,
      ),
    ),
  );
  const [theirs, own] = items.map(({ data }) => data);
  if (!theirs || !own) throw new Error('Both workspaces have an item.');
  for (const name of ['url', 'download_url', 'thumbnail'] as const) {
    const good = new URL(own[name]);
    const foreign = new URL(theirs[name]);
    const signature = good.searchParams.get('signature') ?? '';
    const variants: [string, string][] = [
      ['signature of another item', `${foreign.pathname}${good.search}`],
      ['no signature', foreign.pathname],
      ['empty signature', `${foreign.pathname}?expires=9999999999&signature=`],
      ['later expiry', `${foreign.pathname}${foreign.search.replace(/expires=\d+/, 'expires=9999999999')}`],
      [
        'expiry as a number with an exponent',
        `${foreign.pathname}${foreign.search.replace(/expires=\d+/, 'expires=1e10')}`,
      ],
      ['two signatures', `${foreign.pathname}${foreign.search}&signature=${signature}`],
      [
        'up from an own item',
        `${good.pathname.replace(/[^/]+$/, '')}..%2f..%2f${foreign.pathname.split('/').slice(2).join('%2f')}${good.search}`,
      ],
      [
        'another asset',
        `${foreign.pathname.replace(/[^/]+$/, 'chunk-00000.webp')}${foreign.search.replace(/signature=./, 'signature=_')}`,
      ],
    ];
    const each = signature.split('').map((character, place): [string, string] => {
      const other = character === 'A' ? 'B' : 'A';
      const changed = signature.slice(0, place) + other + signature.slice(place + 1);
      return [
        `signature changed at ${place}`,
        `${good.pathname}?expires=${good.searchParams.get('expires')}&signature=${changed}`,
      ];
    });
    for (const [what, target] of [...variants, ...each]) {
      count('cells');
      const response = await fetch(`${service.url}${target}`);
      const body = Buffer.from(await response.arrayBuffer());
      // The last character of base64 has bits that mean nothing.
      if (response.status === 200 && what === `signature changed at ${signature.length - 1}`) continue;
      if (response.status < 400) violation('file', `${name} with ${what}: ${response.status}, ${body.length} bytes`);
    }
    count('cells');
    if ((await fetch(foreign)).status !== 200) violation('file', `${name}: the valid URL does not work`);
  }
}

/** Every operation as each role: members have no access to operations of owners, and without credentials nothing is allowed. */
async function roles(): Promise<void> {
  // Signing out would end the sessions under test.
  for (const id of ids.filter((each) => !['signOut', 'signOutEverywhere'].includes(each))) {
    const access = allOperations[id]?.access;
    const asked = { json: undefined, ...(allOperations[id]?.body ? { json: validRequests[id]?.json ?? {} } : {}) };
    const member = await sendRequest(id, asked, { cookie: stranger.member.cookie() });
    const anonymous = await sendRequest(id, asked, {});
    const wrongCredentials = await sendRequest(
      id,
      asked,
      access === 'key' ? { cookie: stranger.owner.cookie() } : { key: stranger.key },
    );
    if (access === 'owner' && member.status !== 403) violation('status', `${id} as member: ${member.status}`);
    if (access === 'key' || access === 'member' || access === 'owner') {
      if (anonymous.status !== 401) violation('status', `${id} without credentials: ${anonymous.status}`);
      if (wrongCredentials.status !== 401)
        violation('status', `${id} with the other kind of credentials: ${wrongCredentials.status}`);
    }
    for (const reply of [member, anonymous, wrongCredentials]) checkNoLeak(reply, victim, id);
  }
}

/** A revoked key, a session after signing out, and a removed member. */
async function revokedCredentials(): Promise<void> {
  const made = (await stranger.owner.post<{ id: string; key: string }>('/manage/api-keys')).data;
  await stranger.owner.delete(`/manage/api-keys/${made.id}`);
  const cookie = stranger.member.cookie();
  const members = await stranger.owner.get<{ id: string; role: string }[]>('/manage/members');
  const member = members.data.find(({ role }) => role === 'member');
  await stranger.owner.delete(`/manage/members/${member?.id}`);
  for (const id of ids) {
    const access = allOperations[id]?.access;
    const asked = { json: undefined, ...(allOperations[id]?.body ? { json: validRequests[id]?.json ?? {} } : {}) };
    if (access === 'key') {
      const reply = await sendRequest(id, asked, { key: made.key });
      if (reply.status !== 401) violation('status', `${id} with a revoked key: ${reply.status}`);
    } else if (access === 'member' || access === 'owner') {
      const reply = await sendRequest(id, asked, { cookie });
      if (reply.status !== 401) violation('status', `${id} as a removed member: ${reply.status}`);
    }
  }
  const signedOut = bystander.owner.cookie();
  await bystander.owner.post('/auth/sign-out');
  const after = await sendRequest('listApiKeys', {}, { cookie: signedOut });
  if (after.status !== 401) violation('status', `listApiKeys after signing out: ${after.status}`);
}
