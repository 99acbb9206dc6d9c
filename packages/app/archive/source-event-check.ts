/**
 * Checks a source event of an archive as the intake checks those of writers: one that no writer could append might stop
 * a stage in every later derivation, or begin a line of its own.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { utteranceFrom } from '@loomlog/intake/utterance'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { expectedName, expectedStoredName, givenId, nameFrom } from '@loomlog/schemas/names'

/** The first and the last time that a writer can give: years of four digits, in any time zone. */
const earliestMs = Date.parse('0000-01-01T00:00:00+23:59')
const latestMs = Date.parse('9999-12-31T23:59:59.999-23:59')
const eventTimes = new Set(['at', 'saidAt', 'from', 'to'])

const ids = new Set(['id', 'afterUtterance', 'utterances', 'parked', 'stage', 'input', 'memory', 'sources'])
const names = new Set(['conversation', 'speaker', 'by'])

/** @throws LoomlogError `input-invalid`, with the field */
export function checkSourceEvent(event: SourceEvent): void {
  if (event.type === 'UtteranceAppended') checkUtterance(event)
  else checkFields(event, '')
  if (event.type === 'EvidenceRetracted' && event.utterances.length === 0)
    throw invalidInput('utterances', event.utterances, 'at least one id')
}

/** The names of an utterance's labels and attachments are its writer's, and may be those of other fields. */
function checkUtterance({ attachments, metadata, ...event }: UtteranceAppended): void {
  checkFields(event, '')
  for (const label of Object.keys(metadata)) checkName('metadata', label)
  const { id, conversation, speaker, role, text, tenant, space } = event
  // The time is checked as a number.
  const at = new Date(0).toISOString()
  const input = { id, conversation, speaker, role, at, text, attachments, metadata }
  utteranceFrom(input, { tenant, space }, event.appendedAt)
}

function checkFields(record: object, path: string): void {
  for (const [name, value] of Object.entries(record)) {
    const field = `${path}${name}`
    if (name === 'seq' && value !== null) throw invalidInput(field, value, 'null: the first stage counts')
    if (name === 'appendedAt') checkLogTime(field, value)
    else if (eventTimes.has(name) && value !== null) checkTime(field, value, earliestMs)
    else if (names.has(name)) checkName(field, value)
    else if (ids.has(name)) for (const id of [value].flat()) checkId(field, id)
    else if (value !== null && typeof value === 'object' && !Array.isArray(value)) checkFields(value, `${field}.`)
  }
}

/** @throws LoomlogError `input-invalid` */
export function checkLogTime(field: string, ms: unknown): void {
  checkTime(field, ms, 0)
}

function checkTime(field: string, ms: unknown, least: number): void {
  if (Number.isSafeInteger(ms) && Number(ms) >= least && Number(ms) <= latestMs) return
  throw invalidInput(field, ms, `ms since 1970, from ${least} to ${latestMs}`)
}

function checkName(field: string, value: unknown): void {
  if (nameFrom(value) !== value) throw invalidInput(field, value, expectedStoredName)
}

/** @throws LoomlogError `input-invalid` */
export function checkId(field: string, value: unknown): void {
  if (givenId(value) !== value) throw invalidInput(field, value, expectedName)
}
