/** The path of the API below the URL of the service. A file of its own, so that the dashboard can import it without zod. */
export const basePath = '/api/v1';
