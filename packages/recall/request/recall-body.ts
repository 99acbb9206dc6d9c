/**
 * A request for evidence as a JSON object: the body of a POST, the parameters of a GET under the same names, and the
 * options of a `Memory`.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { checkedAddress, type SpaceAddress } from '@loomlog/intake/utterance'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ContextRequest } from '../context/context-block.ts'
import {
  contextParameters,
  contextRequestFrom,
  recallParameters,
  requestFrom,
  type TextParameters,
} from './parameters.ts'
import type { RecallRequest } from './request.ts'

const names = [...recallParameters, 'also', 'answer', 'agentic', 'explain', 'generation']

export interface ParsedRecall {
  readonly request: RecallRequest
  /** The further spaces of the tenant, by name. */
  readonly also: readonly string[]
  /** Null: the tenant's live generation. */
  readonly generation: string | null
  readonly wants: { readonly answer: boolean; readonly search: 'views' | 'explained' | 'tools' }
}

/** Longest id or name of a generation. */
const maxGenerationChars = 200

type Parameters = { readonly [name: string]: string | readonly string[] }

/** @throws LoomlogError `input-invalid`, with the parameter */
export function recallRequestFrom(given: unknown, { tenant, space }: SpaceAddress): ParsedRecall {
  const asked = parameters(given, names)
  const also = [asked.also ?? []].flat()
  const spaces = [space, ...also].map((name) => spaceKey(tenant, checkedAddress({ tenant, space: name }).space))
  return {
    request: requestFrom(asked, spaces),
    also,
    generation: asked.generation === undefined ? null : generationFrom(asked.generation),
    wants: { answer: isWanted('answer', asked), search: searchOf(asked) },
  }
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export function contextFrom(given: unknown, { tenant, space }: SpaceAddress): ContextRequest {
  return contextRequestFrom(parameters(given, contextParameters), spaceKey(tenant, space))
}

function searchOf(asked: Parameters): ParsedRecall['wants']['search'] {
  const [agentic, explain] = [isWanted('agentic', asked), isWanted('explain', asked)]
  if (agentic && explain) {
    throw new LoomlogError(
      'input-invalid',
      'explain and agentic are yes: expected one of them; agentic lists the steps of the model anyway',
    )
  }
  if (agentic) return 'tools'
  return explain ? 'explained' : 'views'
}

function generationFrom(given: Parameters[string]): string {
  if (typeof given === 'string' && given !== '' && given.length <= maxGenerationChars) return given
  throw invalidInput('generation', given, 'the id or the name of one')
}

function isWanted(name: string, { [name]: given = 'no' }: Parameters): boolean {
  if (given === 'yes' || given === 'no') return given === 'yes'
  throw invalidInput(name, given, 'yes or no')
}

const switches: ReadonlySet<string> = new Set(['answer', 'agentic', 'explain'])
/** Parameters that may be JSON numbers. */
const numbers: ReadonlySet<string> = new Set(['limit', 'budget', 'wait'] satisfies (keyof TextParameters)[])

function parameters(given: unknown, known: readonly string[]): Parameters {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new LoomlogError('input-invalid', 'the body is no JSON object: expected one with the parameters of a recall')
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const expected = `expected some of ${known.join(', ')}`
    throw new LoomlogError('input-invalid', `there is no parameter ${unknown.slice(0, 80)}: ${expected}`)
  }
  const entries = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => [name, text(name, value)])
  return Object.fromEntries(entries) as Parameters
}

function text(name: string, value: unknown): string | readonly string[] {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' && switches.has(name)) return value ? 'yes' : 'no'
  if (typeof value === 'number' && numbers.has(name)) return String(value)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[]
  const others = numbers.has(name) ? 'a number' : 'a string or a list of them'
  const expected = switches.has(name) ? 'yes or no' : others
  throw invalidInput(name.slice(0, 80), value, expected)
}
