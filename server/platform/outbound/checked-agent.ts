import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where the service may connect to at the request of a user. */
export type OutboundAccess = {
  /** IP addresses and networks (CIDR) that are connected to although they are private. */
  allowedAddresses: string[];
  /** Which addresses are connected to without TLS: any that is with it, or those of `allowedAddresses` alone. */
  plain?: 'any' | 'allowed';
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const parseNetwork = (network: string): Network =>
  network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), isIP(network) === 6 ? 128 : 32];

const isIn = (address: Address, networks: Network[]): boolean =>
  networks.some(([start, bits]) => start.kind() === address.kind() && address.match(start, bits));

/**
 * Networks of IPv6 that ipaddr.js takes for unicast as it takes all that it knows nothing else of: only global unicast (2000::/3) is connected
 * to, and of that not what is reserved or carries an IPv4 address. `::127.0.0.1` is `::7f00:1` once it is parsed.
 */
const refused = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(
  parseNetwork,
);

/** Whether an IP address may be connected to. One with a zone (`fe80::1%eth0`) is of this machine's network. */
function createFilter({ allowedAddresses, plain = 'any' }: OutboundAccess, isPlain: boolean) {
  const allowed = allowedAddresses.map(parseNetwork);
  return (text: string): boolean => {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    if (isIn(address, allowed)) return true;
    // An IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`) is of a range of its own, and refused like all of them.
    return address.range() === 'unicast' && !isIn(address, refused) && !(isPlain && plain === 'allowed');
  };
}

const refusedCode = 'ERR_REFUSED_ADDRESS';

const refusal = () => Object.assign(new Error('The address is not one to connect to.'), { code: refusedCode });

/** Gives an agent a filter for the addresses that it connects to: a name is resolved first, and one bad address refuses it. */
function check<Agent extends http.Agent>(agent: Agent, mayConnect: (address: string) => boolean): Agent {
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    resolve(hostname, all, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? refusal(), '', 0);
      else if (!addresses.every(({ address }) => mayConnect(address))) callback(refusal(), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const { host } = options as { host?: string };
    // An address is connected to without asking for one.
    if (host !== undefined && isIP(host) !== 0 && !mayConnect(host)) {
      callback?.(refusal(), undefined as never);
      return undefined;
    }
    return connect({ ...options, lookup: checkedLookup }, callback);
  };
  return agent;
}

/**
 * Agents by which the service requests what a user gave as a URL. Every connection, those of redirects too, is made to an IP
 * address that was checked after the host name was resolved, so neither a name nor a redirect leads to this machine or its private network.
 * A refusal is an error of `isRefusedAddress`. No connection is kept for another request.
 */
export const checkedAgents = (access: OutboundAccess) => ({
  http: check(new http.Agent({ keepAlive: false }), createFilter(access, true)),
  https: check(new https.Agent({ keepAlive: false }), createFilter(access, false)),
});

/** Whether `error` of a request by `checkedAgents` says that its address is one that the service does not connect to. */
export const isRefusedAddress = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === refusedCode;

/**
 * Whether `error` of a request by `checkedAgents` says that there is no address to connect to: it is refused, or the name has none. Users are
 * told the same of both, so that no answer tells which names this machine's network has.
 */
export const hasNoAddress = (error: unknown): boolean =>
  isRefusedAddress(error) ||
  (error instanceof Error && 'code' in error && /^(?:ENOTFOUND|ENODATA|EAI_[A-Z]+)$/.test(String(error.code)));

/**
 * Says early what `checkedAgents` would do with a URL now. The answer can change until a connection is made, which is checked by itself.
 * @returns `refused`: also of a name without an address, see `hasNoAddress`; `checked`: it would be connected to
 */
export async function checkAddress(url: URL, access: OutboundAccess): Promise<'checked' | 'refused'> {
  const mayConnect = createFilter(access, url.protocol === 'http:');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => mayConnect(address)) ? 'checked' : 'refused';
}
