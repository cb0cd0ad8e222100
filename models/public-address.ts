import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A rollout's endpoint has an address of this machine, its network or its cloud. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
  readonly code = 'EPRIVATE';
  constructor() {
    super('the endpoint is at a private address');
  }
}

/** Not public by IANA's registries for special purposes: loopback, private, link-local … */
const PRIVATE_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  // A cloud's metadata service outside of them, multicast, reserved.
  ...['168.63.129.16/32', '224.0.0.0/3'],
];
/** Only IPv6 global unicast is public, except documentation and embedded IPv4. */
const PUBLIC_6 = ['2000::/3'];
const PRIVATE_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const listOf = (family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};
const private4 = listOf('ipv4', PRIVATE_4);
const public6 = listOf('ipv6', PUBLIC_6);
const private6 = listOf('ipv6', PRIVATE_6);

export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !private4.check(address, 'ipv4');
  // Without its zone. Mapped IPv4 (::ffff:…) is not in 2000::/3.
  const bare = address.replace(/%.*$/, '');
  return isIP(bare) === 6 && public6.check(bare, 'ipv6') && !private6.check(bare, 'ipv6');
}

/** For a literal address in a URL, which skips `lookup`; `URL` has made it canonical. */
export function refusePrivateHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) throw new PrivateAddress();
}

/** The connection uses these addresses, so a later different resolution gains nothing. */
export const publicLookup =
  (resolveAll: typeof resolve = resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolveAll(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 0);
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => isPublic(address)))
        return callback(new PrivateAddress(), '', 0);
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
