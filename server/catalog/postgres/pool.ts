import { Client, type ClientConfig, DatabaseError, Pool, type QueryConfig, type QueryResult, types } from 'pg';
import { byteaType, encodeArray, isBinaryArray } from '../dialect/binary-arrays.ts';
import { isOutdatedPlan, isTransient } from '../dialect/transient-errors.ts';
import { createNotifier, noticeOf, type Notifier } from './notifier.ts';
import { createSilenceWatch, type SilenceWatch } from './silence-watch.ts';
import { countPoolWait } from './wait-counts.ts';

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
  /** Is told what transactions of this connection tell other processes. */
  notifier: Notifier | undefined;
  /** Finds out that the server is away while this connection waits for it. */
  watch: SilenceWatch | undefined;
  #halfvecType: Promise<number> | undefined;
  /** What the transaction tells that is under way. */
  readonly #told = new Set<string>();

  constructor(config?: ClientConfig) {
    super(config);
    this.on('notice', (message) => {
      const notice = noticeOf(message);
      if (notice !== null) this.#told.add(notice);
    });
    // A connection that is lost while it is in use. The statement fails anyway; without a listener the process would end.
    this.on('error', () => undefined);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- one of many signatures; Kysely uses this one
  override query(...parts: any[]): any {
    const [statement, values] = parts as [string | QueryConfig, unknown[] | undefined];
    if (typeof statement !== 'string' || parts.length !== 2 || !Array.isArray(values))
      // @ts-expect-error -- whatever it is, it is passed on as it is
      return super.query(...parts);
    // Asked before: an error comes ahead of the end of its transaction, or together with that where this process is busy. A failed commit that was repeated would
    // be a success of nothing.
    const isAlone = this.getTransactionStatus() === 'I';
    const ask = async (): Promise<QueryResult> => {
      const encoded = values.some(isBinaryArray) ? await this.#encode(values) : values;
      const name = nameOf(statement);
      const answered = this.watch?.begin(this);
      const result = await super
        .query(name === undefined ? { text: statement, values: encoded } : { name, text: statement, values: encoded })
        .finally(answered);
      if (this.getTransactionStatus() === 'I') this.#pass(result.command !== 'ROLLBACK');
      return result;
    };
    const askAgain = (error: unknown, attempt: number): Promise<QueryResult> => {
      // Another process has changed a table since. From now on the statements are prepared again.
      if (isOutdatedPlan(error)) forgetNames();
      // A transaction has failed as a whole; whoever began it begins it again. A statement alone has done nothing: a change of the schema, which
      // locks one table after the other, can lock each other out with it.
      if (!isTransient(error) || attempt > maxRetries || !isAlone) {
        // A commit whose answer was lost may be stored; a notice too many does no harm.
        const isLost = !(error instanceof DatabaseError);
        if (isLost || isAlone) this.#pass(isLost);
        throw error;
      }
      return ask().catch((again: unknown) => askAgain(again, attempt + 1));
    };
    return ask().catch((error: unknown) => askAgain(error, 1));
  }

  /** Ends the connection without a word to the server, which does not listen. */
  giveUp(): void {
    this.connection.stream.destroy();
  }

  /** Tells other processes what the transaction told that is over. */
  #pass(isCommitted: boolean): void {
    if (this.#told.size === 0) return;
    if (isCommitted) this.notifier?.tell(this.#told);
    this.#told.clear();
  }

  async #encode(values: unknown[]): Promise<unknown[]> {
    this.#halfvecType ??= this.#findHalfvecType().catch((error: unknown) => {
      // Such as because the request was cancelled; the connection is used for others.
      this.#halfvecType = undefined;
      throw error;
    });
    const halfvecType = await this.#halfvecType;
    return values.map((value) =>
      isBinaryArray(value) ? encodeArray(value, value.element === 'bytea' ? byteaType : halfvecType) : value,
    );
  }

  async #findHalfvecType(): Promise<number> {
    const { rows } = await super.query<{ type: number }>(`select 'halfvec'::regtype::oid::int8 as type`);
    return rows[0]?.type ?? 0;
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

/** Sends what its connections tell other processes, at last before it ends; counts who waits for a connection. */
class NotifyingPool extends Pool {
  readonly notifier: Notifier = createNotifier(this);

  // oxlint-disable-next-line typescript/no-explicit-any -- one of two signatures; Kysely uses that without a callback
  override connect(...parts: any[]): any {
    if (this.idleCount > this.waitingCount || parts.length > 0) return super.connect(...(parts as []));
    const begun = performance.now();
    return super.connect().finally(() => countPoolWait((performance.now() - begun) / 1000));
  }

  override async end(): Promise<void> {
    await this.notifier.stop();
    await super.end();
  }
}

/**
 * Connections to a PostgreSQL database, made when they are needed.
 * @param url of the database; its parameters win over those of here
 * @param size connections at most
 */
export function createPool(url: string, size: number): Pool {
  const watch = createSilenceWatch({ connectionString: url });
  const pool = new NotifyingPool({
    connectionString: url,
    max: size,
    Client: PreparingClient,
    types: { getTypeParser: getTypeParser as typeof types.getTypeParser },
    options: options.join(' '),
    application_name: 'media-search',
    connectionTimeoutMillis: 8000,
    keepAlive: true,
    // Before anything else: the pool waits for it, though its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      Object.assign(client, { notifier: pool.notifier, watch });
      await client.query(waitForDisk, []).catch(() => undefined);
    },
  });
  // A connection that is lost while nobody uses it. The next statement makes another.
  pool.on('error', () => undefined);
  return pool;
}
