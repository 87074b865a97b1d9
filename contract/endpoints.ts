/**
 * Method and path of every operation, below the base address. Free of zod, so that the dashboard can import it as it is
 * and take the shapes from `operations.ts` as types only.
 */
export const basePath = '/api/v1';

export const endpoints = {
  listMedia: { method: 'GET', path: '/media' },
  getMedia: { method: 'GET', path: '/media/:id' },
  uploadMedia: { method: 'POST', path: '/media/upload' },
  searchMedia: { method: 'GET', path: '/media/search' },
  searchMediaByImage: { method: 'POST', path: '/media/search/image' },
  listHighlights: { method: 'GET', path: '/media/highlights' },
  deleteMedia: { method: 'DELETE', path: '/media/:id' },
  listCreators: { method: 'GET', path: '/creators' },
  createCreator: { method: 'POST', path: '/creators' },
  getCreator: { method: 'GET', path: '/creators/:id' },
  listCategories: { method: 'GET', path: '/categories' },
  getCategory: { method: 'GET', path: '/categories/:id' },
  getWorkspace: { method: 'GET', path: '/workspace' },
  getOpenApi: { method: 'GET', path: '/openapi.json' },
} as const;

export type OperationId = keyof typeof endpoints;
