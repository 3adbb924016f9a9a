import { BlockList, isIP } from 'node:net';

/** IANA's registries of special-purpose addresses, and multicast: what no public server has. */
const special4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
];
/** Within the part of IPv6 that is given out for public use. */
const special6 = ['2001::/23 2001:db8::/32 2002::/16 3fff::/20'];

const refused = new BlockList();
const given6 = new BlockList();
given6.addSubnet('2000::', 3, 'ipv6');
for (const [list, family] of [
  [special4, 'ipv4'],
  [special6, 'ipv6'],
] as const) {
  for (const block of list.flatMap((line) => line.split(' '))) {
    const [address = '', bits] = block.split('/');
    refused.addSubnet(address, Number(bits), family);
  }
}

/**
 * Whether an IP address is one of the public internet: not of this machine, its network, a link, a test range, or an
 * IPv6 form that hides an IPv4 address of those.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const version = isIP(bare);
  if (version === 4) return !refused.check(bare, 'ipv4');
  if (version !== 6) return false;
  const inner = innerIpv4(bare);
  if (inner !== null) return isPublicAddress(inner);
  return given6.check(bare, 'ipv6') && !refused.check(bare, 'ipv6');
}

/** The IPv4 address in an IPv4-mapped (`::ffff:0:0/96`) or NAT64 (`64:ff9b::/96`) one; null for all others. */
function innerIpv4(address: string): string | null {
  // The URL parser writes each form of one address the same way.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const match = /^(?:::ffff:|64:ff9b::)([\da-f]{1,4})(?::([\da-f]{1,4}))?$/.exec(text);
  if (match === null) return null;
  const [high, low] = match[2] === undefined ? ['0', match[1]!] : [match[1]!, match[2]];
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
