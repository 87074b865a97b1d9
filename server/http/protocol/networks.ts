import { BlockList, isIP } from 'node:net';

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
