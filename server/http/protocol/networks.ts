import { BlockList, isIP, SocketAddress } from 'node:net';

/** Names of networks that `TRUSTED_PROXIES` may hold, with what they mean (as Fastify does). */
const namedNetworks: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Networks as a list to compare addresses with. @param networks addresses, networks in CIDR notation, or their names */
export function createNetworks(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks.flatMap((each) => namedNetworks[each] ?? [each])) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Addresses that are not on the internet. */
export const privateNetworks = createNetworks(Object.keys(namedNetworks));

/** Whether an address is in one of these networks; false for none. An IPv4 address counts in its IPv6 form too. */
export function isInNetworks(address: string | undefined, networks: BlockList): boolean {
  if (address === undefined || isIP(address) === 0) return false;
  return networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The network that clients are counted by: an IPv4 address, and of an IPv6 address its first 64 bits, because a client that has one such
 * address usually has all others of the same 64 bits.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return address;
  // Compressed, in small letters; an IPv4 address in its IPv6 form ends in dots.
  const { address: short } = new SocketAddress({ address: plain, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(short)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = '', after] = short.split('::');
  const groups = before === '' ? [] : before.split(':');
  const rest = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest];
  return `${all.slice(0, 4).join(':')}::/64`;
}
