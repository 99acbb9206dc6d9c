/**
 * The addresses that a webhook may reach: public ones, and those in an allowed network. Plain HTTP is for allowed
 * networks only. The rule is applied to the address that a connection is opened to, so a name that resolves to another
 * address later gains nothing.
 */
import { BlockList, isIP } from 'node:net'

/** IANA's registries of special-purpose addresses. */
const specialIPv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/**
 * Within 2000::/3, the only public range: protocol assignments, tunnels to IPv4 addresses, addresses for documentation.
 */
const specialIPv6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const loopback = ['127.0.0.1', '::1']

const special = new BlockList()
for (const [net, prefix] of specialIPv4) special.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of specialIPv6) special.addSubnet(net, prefix, 'ipv6')
const publicIPv6 = new BlockList()
publicIPv6.addSubnet('2000::', 3, 'ipv6')

/** Metadata services of clouds, which give away credentials. No network allows them. */
const metadata = new BlockList()
for (const address of [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
])
  metadata.addAddress(address, 'ipv4')
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']) metadata.addAddress(address, 'ipv6')
const metadataNames = new Set(['metadata.google.internal', 'metadata.goog'])

export type Protocol = 'http:' | 'https:'

export class AddressRule {
  readonly #allowed = new BlockList()

  /** @param networks allowed ones, in CIDR notation: 10.1.0.0/16 */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/')
      this.#allowed.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
    }
  }

  /**
   * Of the host of a URL, before its name is resolved. `localhost` is this machine for every resolver; any other
   * name is checked by its address at each delivery.
   */
  permitsHost(hostname: string, protocol: Protocol): boolean {
    const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
    if (isIP(host) !== 0) return this.permits(host, protocol)
    if (host === 'localhost' || host.endsWith('.localhost'))
      return loopback.some((address) => this.permits(address, protocol))
    return !metadataNames.has(host)
  }

  permits(address: string, protocol: Protocol): boolean {
    const family = isIP(address)
    if (family === 0 || metadata.check(address, family === 4 ? 'ipv4' : 'ipv6')) return false
    if (this.#allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')) return true
    if (protocol === 'http:') return false
    if (family === 4) return !special.check(address, 'ipv4')
    return publicIPv6.check(address, 'ipv6') && !special.check(address, 'ipv6')
  }
}
