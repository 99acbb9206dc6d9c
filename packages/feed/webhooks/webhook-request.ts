/** The settings of a new webhook, checked: address, spaces, types, and where its events begin. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { checkedAddress } from '@loomlog/intake/utterance'
import { cloudEventTypes } from '@loomlog/schemas/cloud-events'
import type { AddressRule } from './address-rule.ts'

export interface WebhookRequest {
  readonly url: string
  /** Null: every space of the tenant. */
  readonly spaces: readonly string[] | null
  /** Null: every type. */
  readonly types: readonly string[] | null
  /** `now`: events from its creation on; `beginning`: the whole feed. */
  readonly from: 'now' | 'beginning'
}

const maxUrlChars = 2_048
const maxSpaces = 1_000
const fields = new Set(['url', 'spaces', 'types', 'from'])

/** @param rule the address rule of the deliveries @throws LoomlogError `input-invalid`, with the field */
export function webhookRequestFrom(body: unknown, rule: AddressRule): WebhookRequest {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidInput('body', body, 'an object with url, and optionally spaces, types and from')
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) throw invalidInput('body', unknown, 'only the fields url, spaces, types and from')
  const { url, spaces = null, types = null, from = 'now' } = body as { readonly [name: string]: unknown }
  if (from !== 'now' && from !== 'beginning') throw invalidInput('from', from, 'now or beginning')
  return { url: checkedUrl(url, rule), spaces: checkedSpaces(spaces), types: checkedTypes(types), from }
}

function checkedUrl(given: unknown, rule: AddressRule): string {
  const expected = `an http or https address of at most ${maxUrlChars} characters, without user and password`
  if (typeof given !== 'string' || given.length > maxUrlChars || !URL.canParse(given))
    throw invalidInput('url', given, expected)
  const url = new URL(given)
  const { protocol } = url
  // The value is not repeated: it may be a password.
  if ((protocol !== 'https:' && protocol !== 'http:') || url.username !== '' || url.password !== '')
    throw invalidInput('url', protocol, expected)
  if (!rule.permitsHost(url.hostname, protocol))
    throw invalidInput(
      'url',
      `${protocol}//${url.host}`,
      'https to a public address, or a network of LOOMLOG_WEBHOOK_NETWORKS',
    )
  url.hash = ''
  return url.href
}

function checkedSpaces(given: unknown): readonly string[] | null {
  if (given === null) return null
  const spaces = checkedList('spaces', given)
  return spaces.map((space) => checkedAddress({ tenant: 'any', space }).space)
}

function checkedTypes(given: unknown): readonly string[] | null {
  if (given === null) return null
  const types = checkedList('types', given)
  const wrong = types.find((type) => !cloudEventTypes.some((known) => known === type))
  if (wrong !== undefined) throw invalidInput('types', wrong, cloudEventTypes.join(', '))
  return types
}

function checkedList(field: string, given: unknown): readonly string[] {
  const isList = Array.isArray(given) && given.every((item) => typeof item === 'string')
  if (isList && given.length > 0 && given.length <= maxSpaces) return [...new Set<string>(given)].sort()
  throw invalidInput(field, given, `a list of 1 to ${maxSpaces} texts, or null for all`)
}
