import type { dashboardOperations } from '../../contract/dashboard-operations.ts';
import type { operations } from '../../contract/operations.ts';

export type OperationId = keyof typeof operations | keyof typeof dashboardOperations;

export type RequestOptions = {
  id?: string;
  query?: string;
  json?: unknown;
  form?: FormData;
  bytes?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/** An identifier that names nothing. */
export const unknownId = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';

/** A request of each operation that is right in form, and as right in content as can be known beforehand. */
export const validRequests: Partial<Record<OperationId, RequestOptions>> = {
  searchMedia: { query: '?q=red&in=visual,speech' },
  listClips: { query: `?ids=${unknownId}` },
  readClipSheet: { query: `?ids=${unknownId}` },
  searchMediaByImage: { json: { media_id: unknownId } },
  searchMediaByVideo: { json: { media_id: unknownId } },
  keepBestCopy: { json: { keep_id: unknownId, other_ids: [unknownId] } },
  dismissCopies: { json: { ids: [unknownId, unknownId] } },
  updateCopySearch: { json: { paused: false } },
  importMedia: { json: { url: 'http://127.0.0.1:9/nothing.mp4' } },
  checkMedia: { json: { sha256: ['0'.repeat(64)] } },
  createUpload: { headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1' } },
  sendPart: {
    headers: { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
  },
  createComment: { json: { text: 'Cut here.' } },
  updateComment: { json: { resolved: true } },
  reviewMedia: { json: { state: 'approved' } },
  seeMentions: { json: {} },
  createShare: { json: { media_id: unknownId } },
  updateShare: { json: { expires_in_hours: 1 } },
  moveToTrash: { json: { ids: [unknownId] } },
  restoreFromTrash: { json: { ids: [unknownId] } },
  changeMedia: { json: { items: { ids: [unknownId] }, change: { rating: 3 } } },
  updateMedia: { json: { creator_id: null } },
  createExport: { json: { format: 'csv', media_ids: [unknownId] } },
  createCreator: { json: { name: 'Somebody' } },
  createCollection: { json: { name: 'Somewhere' } },
  updateCollection: { json: { name: 'Somewhere else' } },
  orderCollection: { json: { moves: [{ media_ids: [unknownId], before_id: null }] } },
  changeCollectionItems: { json: { add: [unknownId] } },
  createTag: { json: { name: 'somehow' } },
  renameTag: { json: { name: 'somehow else' } },
  mergeTag: { json: { into: unknownId } },
  changeTagItems: { json: { add: [unknownId] } },
  createSavedSearch: { json: { name: 'Some search', page: 'search', parameters: { q: 'red' } } },
  updateSavedSearch: { json: { name: 'Some other search' } },
  createSource: { json: { location: '/nowhere' } },
  updateSource: { json: { include: ['**/footage/**'] } },
  scanSource: { json: {} },
  setPathMappings: { json: { mappings: [{ name: 'macOS', from: '/mnt/nas', to: '/Volumes/NAS' }] } },
  signIn: { json: { token: 'unknown' } },
  switchWorkspace: { json: { workspace_id: unknownId } },
  updateProfile: { json: { name: 'Renamed' } },
  changePassword: { json: { new_password: 'long enough to count' } },
  readInvitation: { json: { token: 'unknown' } },
  join: { json: { token: 'unknown' } },
  renameWorkspace: { json: { name: 'Renamed' } },
  rotateApiKey: { json: {} },
  createWebhook: { json: { url: 'https://[2606:4700::1111]/', types: ['media.completed'] } },
  updateWebhook: { json: { description: 'Renamed' } },
  redeliver: { json: {} },
  changeRole: { json: { role: 'member' } },
  createInvitation: { json: { role: 'member' } },
  createCategory: { json: { name: 'Something' } },
  updateCategory: { json: { name: 'Something else' } },
  renameCreator: { json: { name: 'Somebody else' } },
};

/** Parameters that an operation refuses. */
export const wrongQueries: Partial<Record<OperationId, string>> = {
  listMedia: '?page=0',
  listCreators: '?page=0',
  listCategories: '?page=0',
  listCollections: '?page=0',
  listTags: '?page=0',
  listTrash: '?page=0',
  listShares: '?page=0',
  listAspectRatios: '?sort=shape',
  listMediaIds: '?limit=0',
  listComments: '?page=0',
  listMonths: '?taken_after=soon',
  listDuplicates: '?page=0',
  countFacets: '?near=here',
  listPlaces: '?zoom=99',
  listSources: '?page=0',
  listSourceRoots: '?path=/nowhere',
  listSourceFiles: '?failed=maybe',
  searchMedia: '?q=',
  listHighlights: '?method=magic',
  mapHighlights: '?layout=globe',
  listClips: '',
  readClipSheet: '?ids=nonsense',
  listConcepts: '?n=0',
  streamEvents: '?types=all',
};
