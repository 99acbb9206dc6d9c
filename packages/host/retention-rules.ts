/**
 * The rules of `LOOMLOG_RETENTION`: how many days a space keeps utterances and corrections. The most specific rule of a
 * space counts: its own, then its tenant's, then the default. Without a rule a space keeps everything.
 */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { sameName } from '@loomlog/schemas/names'
import type { Environment } from './environment.ts'

export interface RetentionRule {
  /** As it is set: `400d`, `acme/*=30d` or `acme/legal=never`. */
  readonly text: string
  /** `tenant/space`; `tenant/*` for every other space of the tenant; `*` for every other space. */
  readonly spaces: string
  /** Null: for ever. */
  readonly days: number | null
}

const expected =
  'DAYS, TENANT/*=DAYS or TENANT/SPACE=DAYS, separated by commas, each of 1d to 36500d or never: 400d,acme/*=30d,acme/legal=never'

/** @throws LoomlogError `config-invalid` */
export function retentionRules({ LOOMLOG_RETENTION: given = '' }: Environment): readonly RetentionRule[] {
  const parts = given.split(',').map((part) => part.trim())
  const rules = parts.filter((part) => part !== '').map((part) => ruleFrom(part, given))
  const repeated = rules.find(({ spaces }, at) => rules.findIndex((rule) => rule.spaces === spaces) < at)
  if (repeated !== undefined) throw invalidSetting('LOOMLOG_RETENTION', given, `one rule for ${repeated.spaces}`)
  return rules
}

/** @param space `tenant/space` */
export function retentionRuleOf(space: string, rules: readonly RetentionRule[]): RetentionRule | null {
  const ofTenant = `${space.slice(0, space.indexOf('/'))}/*`
  const inOrder = [space, ofTenant, '*'].map((spaces) => rules.find((rule) => rule.spaces === spaces))
  return inOrder.find((rule) => rule !== undefined) ?? null
}

function ruleFrom(text: string, given: string): RetentionRule {
  const [, place, kept = ''] = /^(?:(.+)=)?([^=]+)$/.exec(text) ?? []
  const days = /^[1-9]\d{0,4}d$/.test(kept) ? Number(kept.slice(0, -1)) : null
  const isTime = kept === 'never' || (days !== null && days <= 36_500)
  const spaces = place === undefined ? '*' : spacesFrom(place)
  if (!isTime || spaces === null) throw invalidSetting('LOOMLOG_RETENTION', given, expected)
  return { text, spaces, days }
}

/** Null: no name of a tenant and a space. */
function spacesFrom(place: string): string | null {
  const names = place.split('/').map(sameName)
  return names.length === 2 && names.every((name) => name !== '') && names[0] !== '*' ? names.join('/') : null
}
