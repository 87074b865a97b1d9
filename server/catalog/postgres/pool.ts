import { Client, type ClientConfig, Pool, type QueryConfig, type QueryResult, types } from 'pg';
import { isOutdatedPlan, isTransient } from '../dialect/transient-errors.ts';

/**
 * Settings of a connection. Workspaces differ in size by a factor of a million, so a plan is made for each; a transaction whose process hangs
 * gives its locks free.
 */
const options = [
  'plan_cache_mode=force_custom_plan',
  'jit=off',
  'idle_in_transaction_session_timeout=60000',
  'client_min_messages=warning',
].map((setting) => `-c ${setting}`);

/** What is committed is on the disk, also where the server's default is not to wait for it; a stricter setting stays. */
const waitForDisk = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Names of statements in a process. More are not prepared: a server keeps each for each connection. */
const maxNames = 500;

/** Statements that are parsed once by each connection. */
const names = new Map<string, string>();
let generation = 0;

function nameOf(statement: string): string | undefined {
  const known = names.get(statement);
  if (known !== undefined || names.size >= maxNames || !/^\s*(?:select|insert|update|delete|with)\b/i.test(statement))
    return known;
  const name = `s${generation}_${names.size}`;
  names.set(statement, name);
  return name;
}

/** Prepares statements: a query by its key then takes half the time in this process. */
class PreparingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // A connection that is lost while it is in use. The statement fails anyway; without a listener the process would end.
    this.on('error', () => undefined);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- one of many signatures; Kysely uses this one
  override query(...parts: any[]): any {
    const [statement, values] = parts as [string | QueryConfig, unknown[] | undefined];
    if (typeof statement !== 'string' || parts.length !== 2 || !Array.isArray(values))
      // @ts-expect-error -- whatever it is, it is passed on as it is
      return super.query(...parts);
    const ask = (): Promise<QueryResult> => {
      const name = nameOf(statement);
      return super.query(name === undefined ? { text: statement, values } : { name, text: statement, values });
    };
    const askAgain = (error: unknown, attempt: number): Promise<QueryResult> => {
      // Another process has changed a table since. From now on the statements are prepared again.
      if (isOutdatedPlan(error)) forgetNames();
      // A transaction has failed as a whole; whoever began it begins it again. A statement alone has done nothing: a change of the schema, which
      // locks one table after the other, can lock each other out with it.
      if (!isTransient(error) || attempt > maxRetries || this.getTransactionStatus() !== 'I') throw error;
      return ask().catch((again: unknown) => askAgain(again, attempt + 1));
    };
    return ask().catch((error: unknown) => askAgain(error, 1));
  }
}

/** How often a statement outside of a transaction is repeated that failed because of others. */
const maxRetries = 3;

function forgetNames(): void {
  names.clear();
  generation += 1;
}

/** 64-bit integers, and sums of them, as numbers: the driver gives texts otherwise. */
function parseInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) && /^-?\d+$/.test(value)) throw new RangeError(`${value} is too large a number.`);
  return number;
}

const int8 = 20;
const numeric = 1700;

const getTypeParser = (type: number, format?: 'text' | 'binary') =>
  type === int8 || type === numeric ? parseInteger : types.getTypeParser(type, format);

/**
 * Connections to a PostgreSQL database, made when they are needed.
 * @param url of the database; its parameters win over those of here
 * @param size connections at most
 */
export function createPool(url: string, size: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: size,
    Client: PreparingClient,
    types: { getTypeParser: getTypeParser as typeof types.getTypeParser },
    options: options.join(' '),
    application_name: 'media-search',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // Sent before anything else.
  pool.on('connect', (client) => void client.query(waitForDisk).catch(() => undefined));
  // A connection that is lost while nobody uses it. The next statement makes another.
  pool.on('error', () => undefined);
  return pool;
}
