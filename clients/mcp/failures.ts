import { ApiError } from '../typescript/index.ts';
import { clean } from './safe-text.ts';

/** Something that a tool cannot do, in a sentence that says what to do instead. */
export class ToolError extends Error {
  override name = 'ToolError';
}

/** Longest message that is handed on, characters. */
const maxMessageLength = 1000;

/** Whether a failure is of the service or the call, and not of a tool. */
export const isExpected = (error: unknown): boolean => error instanceof ToolError || error instanceof ApiError;

/** What a failed call tells the agent: what is wrong, and what it or its user can do. */
export function describeFailure(error: unknown): string {
  if (error instanceof ToolError) return clean(error.message, maxMessageLength);
  if (error instanceof ApiError) return clean(describeApiError(error), maxMessageLength);
  return 'Something went wrong in this tool. Try again, or tell the user.';
}

function describeApiError(error: ApiError): string {
  const { code, message, details, requestId } = error;
  switch (code) {
    case 'missing_api_key':
    case 'invalid_api_key':
      return (
        'The service does not accept the API key: it is unknown or was revoked. ' +
        'The user has to put a working one (dashboard, Settings, API keys) into the configuration of this server.'
      );
    case 'offline':
      return 'The service cannot be reached. Try again in a minute; the user can check that it runs, and its address in the configuration of this server.';
    case 'throttled':
    case 'unavailable':
      return `${message} Wait ${waitOf(error)} and call this tool again.`;
    case 'quota_exceeded':
      return `${message} The tool usage says what is left of the plan; the operator of the service can change it.`;
    case 'not_found':
      return `${message} Identifiers come from search_moments, list_media and highlights; the item may have been deleted.`;
    case 'not_ready':
      return `${message} get_media says how far it is, or why it was not indexed.`;
    case 'validation_error':
      // The message names the first.
      return [message, ...details.slice(1).map(({ path, message: what }) => `${path} ${what}.`)].join(' ');
    case 'internal_error':
      return `${message}${requestId === null ? '' : ` The request id is ${requestId}.`}`;
    default:
      return message;
  }
}

const waitOf = ({ retryAt }: ApiError): string =>
  retryAt === null ? 'some seconds' : `${Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))} s`;
