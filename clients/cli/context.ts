import type { Client } from '../typescript/index.ts';
import type { Account } from './account/credentials.ts';
import type { Output } from './output/output.ts';

/** A workspace of a service, and how to ask it. */
export type Connection = {
  account: Account;
  client: Client;
};

/** Folders of the user, named as the system names them. */
export type Folders = {
  /** Holds the address and the key. */
  config: string;
  /** Holds what was sent, and how far. */
  state: string;
};

/** What a command works with. */
export type Context = {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  folders: Folders;
  /** Standard input. */
  input: NodeJS.ReadStream;
  /** Aborted by Ctrl-C, and when the process is asked to end. */
  signal: AbortSignal;
  /** Aborted when the reader of the data has closed its end, as `head` does. */
  unread: AbortSignal;
  /** Whether failures name the request. */
  verbose: boolean;
  /**
   * The account and its client.
   * @param account to use in place of the one that is set or stored
   * @throws CommandError when there is no account
   */
  connect: (account?: Account) => Promise<Connection>;
};
