/** The selection of a forgetting, as a request in JSON, and the events that it names by themselves. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import { checkedName } from '@loomlog/intake/utterance'
import { timeFrom } from '@loomlog/recall/parameters'

/** Several criteria intersect; at least one is set. `everything` stands alone. */
export interface Selection {
  /** Ids of utterances, or of corrections. */
  readonly utterances: readonly string[] | null
  readonly speaker: string | null
  readonly conversation: string | null
  /** Event time, ms since the epoch; `to` is exclusive. */
  readonly from: number | null
  readonly to: number | null
  /** Log time, exclusive: events that the log accepted before it. */
  readonly appendedBefore: number | null
  /** The whole space. */
  readonly everything: boolean
}

/** A selection begins with these, and sets at least one. */
export const noCriteria: Selection = {
  utterances: null,
  speaker: null,
  conversation: null,
  from: null,
  to: null,
  appendedBefore: null,
  everything: false,
}

export interface ForgettingRequest {
  readonly selection: Selection
  readonly by: string
  /** Nothing is changed. */
  readonly preview: boolean
}

const fields = ['utterances', 'speaker', 'conversation', 'from', 'to', 'appendedBefore', 'everything', 'by', 'preview']
/** Ids of utterances in one forgetting. */
export const maxForgottenIds = 1_000

/**
 * Checks a request, a JSON object. `preview` has no default, because a forgetting can't be undone.
 * @throws LoomlogError `input-invalid`, with the field
 */
export function forgettingFrom(body: unknown): ForgettingRequest {
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidInput('the body', body, 'a JSON object')
  refuseUnknownFields(body, fields)
  const given = body as { readonly [field: string]: unknown }
  const { by, preview, everything = false } = given
  if (typeof by !== 'string') throw invalidInput('by', by, 'the author')
  if (typeof preview !== 'boolean') throw invalidInput('preview', preview, 'true or false')
  if (typeof everything !== 'boolean') throw invalidInput('everything', everything, 'true or false')
  const selection = {
    utterances: utterancesFrom(given.utterances ?? null),
    speaker: nameFrom('speaker', given.speaker ?? null),
    conversation: nameFrom('conversation', given.conversation ?? null),
    from: momentFrom('from', given.from ?? null),
    to: momentFrom('to', given.to ?? null),
    appendedBefore: momentFrom('appendedBefore', given.appendedBefore ?? null),
    everything,
  }
  return { selection: checkedSelection(selection), by: checkedName(by, 'by'), preview }
}

/** @throws LoomlogError `input-invalid` for a selection that is empty, or selects more than it seems to */
function checkedSelection(selection: Selection): Selection {
  const { everything, from, to, ...others } = selection
  const isNarrowed = [from, to, ...Object.values(others)].some((criterion) => criterion !== null)
  if (everything && isNarrowed) throw invalidInput('everything', true, 'no other criterion beside it')
  if (!everything && !isNarrowed)
    throw invalidInput('the selection', {}, 'utterances, a speaker, a conversation, a time, or everything')
  if (from !== null && to !== null && from >= to)
    throw invalidInput('to', new Date(to).toISOString(), `a time after ${new Date(from).toISOString()}`)
  return selection
}

function utterancesFrom(given: unknown): readonly string[] | null {
  if (given === null) return null
  const isList = Array.isArray(given) && given.length > 0 && given.length <= maxForgottenIds
  if (!isList || !given.every((id) => typeof id === 'string'))
    throw invalidInput('utterances', given, `1 to ${maxForgottenIds} ids`)
  return given
}

function nameFrom(field: string, given: unknown): string | null {
  if (given === null) return null
  if (typeof given !== 'string') throw invalidInput(field, given, 'a name')
  return checkedName(given, field)
}

function momentFrom(field: string, given: unknown): number | null {
  if (given === null) return null
  if (typeof given !== 'string') throw invalidInput(field, given, 'a day, or a time with a zone')
  return timeFrom(field, given)
}
