/** The settings of webhooks. The webhook key is a secret, and part of no message. */
import { BlockList, isIP } from 'node:net'
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { type Environment, wholeNumber } from './environment.ts'

export interface WebhookConfig {
  /** The key that secrets are derived from; null: a file in the log's folder has it. */
  readonly key: string | null
  /** Networks in CIDR notation that webhooks may reach beside public addresses. */
  readonly networks: readonly string[]
  readonly timeoutMs: number
  /** An event that a receiver doesn't accept for this long is parked. */
  readonly parkAfterMs: number
}

const leastKeyChars = 32
const dayMs = 86_400_000

/** @throws LoomlogError `config-invalid` */
export function webhookConfig(environment: Environment): WebhookConfig {
  const { LOOMLOG_WEBHOOK_KEY: key = null, LOOMLOG_WEBHOOK_NETWORKS: networks = '' } = environment
  if (key !== null && key.length < leastKeyChars) {
    const expected = `at least ${leastKeyChars} random characters: openssl rand -base64 32`
    throw new LoomlogError('config-invalid', `LOOMLOG_WEBHOOK_KEY has ${key.length} characters: expected ${expected}`)
  }
  const park = { fallback: dayMs, least: 1_000, most: 30 * dayMs }
  const timeout = { fallback: 15_000, least: 100, most: 120_000 }
  return {
    key,
    networks: checkedNetworks(networks),
    timeoutMs: wholeNumber(environment, 'LOOMLOG_WEBHOOK_TIMEOUT_MS', timeout),
    parkAfterMs: wholeNumber(environment, 'LOOMLOG_WEBHOOK_PARK_MS', park),
  }
}

function checkedNetworks(given: string): readonly string[] {
  const networks = given.split(',').map((network) => network.trim())
  if (given.trim() === '') return []
  for (const network of networks) {
    if (!isNetwork(network))
      throw invalidSetting('LOOMLOG_WEBHOOK_NETWORKS', given, 'networks such as 10.1.0.0/16, and commas')
  }
  return networks
}

function isNetwork(network: string): boolean {
  const [address = '', prefix = ''] = network.split('/')
  const family = isIP(address)
  if (family === 0 || !/^\d{1,3}$/.test(prefix)) return false
  try {
    new BlockList().addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}
