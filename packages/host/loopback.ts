/** Addresses of this machine only. */
import { isIPv4 } from 'node:net'

export function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}
