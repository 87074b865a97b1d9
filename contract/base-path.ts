/** Where the API stands below the service's address. A file of its own, so that the dashboard can import it without zod. */
export const basePath = '/api/v1';
