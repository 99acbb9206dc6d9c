/**
 * Turns a person's correction of a memory into source events, one for each fact that it concerns. The first event has
 * the new words; the others retract facts that state the same elsewhere.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { checkedName, maxTextBytes, type SpaceAddress } from '@loomlog/intake/utterance'
import { restate } from '@loomlog/language/restate'
import { keywords } from '@loomlog/language/terms'
import type { MemoryCorrected, Role } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import { and, isNull, not } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { citesAnyOf } from '@loomlog/views/tables/facts'
import { utterances } from '@loomlog/views/tables/utterances'
import { type CorrectionTarget, correctionTargets } from './target.ts'

export interface RequestPlace extends SpaceAddress {
  /** The key or token of the request, `key:ID` or `token:SUBJECT`; null: none was needed. */
  readonly principal: string | null
}

export interface RequestOrigin {
  readonly place: RequestPlace
  readonly by: string
  readonly role: Role
  readonly reason: string | null
  /** Event time of the request. */
  readonly at: number
}

export type CorrectionRequest = RequestOrigin &
  (
    | { readonly action: 'replace'; readonly memory: string; readonly text: string; readonly from?: number }
    | { readonly action: 'pin' | 'retract'; readonly memory: string }
    | { readonly action: 'add'; readonly text: string; readonly conversation: string | null }
  )

/** The default conversation of an added statement. */
const ownConversation = 'corrections'
const maxKeywords = 8
/** Newest corrections of an added statement that are read. */
const maxCorrections = 1_000

/** @throws LoomlogError `not-found`, `views-behind`, `input-invalid` */
export async function correctionsFor(asked: CorrectionRequest, views: ViewReader): Promise<readonly MemoryCorrected[]> {
  const request = { ...asked, by: checkedName(asked.by, 'by') }
  if (request.action === 'add') return [await addition(request, views)]
  const targets = await correctionTargets(request.memory, spaceOf(request), views)
  if (request.action === 'replace' && request.from !== undefined)
    return datedReplacements(request, request.from, targets)
  return targets.map((target, index) => {
    const { memory, conversation } = target
    const retracting = () => correction(request, 'retract', conversation, { target: memory, from: null, ...noWords })
    if (index > 0) return retracting()
    switch (request.action) {
      case 'retract':
        return retracting()
      case 'pin':
        return correction(request, 'pin', conversation, { target: memory, from: null, ...pinned(target) })
      default:
        return replacement(request, target)
    }
  })
}

type Replacement = Extract<CorrectionRequest, { readonly action: 'replace' }>

/** @throws LoomlogError `input-invalid` if the memory has the text already */
function replacement(request: Replacement, target: CorrectionTarget): MemoryCorrected {
  const { from = null } = request
  const { memory, conversation } = target
  const text = checked(request.text)
  if (text === memory.text)
    throw new LoomlogError('input-invalid', `${memory.memory} has this text already: pin it to make it stay`)
  return correction(request, 'replace', conversation, { target: memory, from, ...words(text, request, target) })
}

/**
 * Facts that hold since an earlier time end when the new words begin. The others state the same of a later time, so
 * they never held.
 * @throws LoomlogError `input-invalid` if no fact began before
 */
function datedReplacements(
  request: Replacement,
  from: number,
  targets: readonly CorrectionTarget[],
): readonly MemoryCorrected[] {
  const began = Math.min(...targets.map(({ validFrom }) => validFrom))
  if (from <= began) {
    throw invalidInput(
      'from',
      new Date(from).toISOString(),
      `a time after ${new Date(began).toISOString()}, from which ${request.memory} holds; without it the text replaces the memory altogether`,
    )
  }
  return targets.map((target) => {
    if (target.validFrom < from) return replacement(request, target)
    return correction(request, 'retract', target.conversation, { target: target.memory, from: null, ...noWords })
  })
}

/**
 * A repeated addition has the same id and no further effect, unless the statement was retracted or replaced since: then
 * it is added again.
 */
async function addition(
  request: Extract<CorrectionRequest, { readonly action: 'add' }>,
  views: ViewReader,
): Promise<MemoryCorrected> {
  const content = { target: null, from: null, ...words(checked(request.text), request) }
  const conversation = checkedName(request.conversation ?? ownConversation, 'conversation')
  await expectBuilt(spaceOf(request), views)
  const added = (after: string | null) => correction(request, 'add', conversation, content, after)
  let event = added(null)
  let withdrawal = await withdrawalOf(event, views)
  while (withdrawal !== null) {
    event = added(withdrawal)
    withdrawal = await withdrawalOf(event, views)
  }
  return event
}

/**
 * While the view of utterances is rebuilt, a withdrawal may be missing in it. The addition would then get an id that is
 * in the log already, and have no effect.
 * @throws LoomlogError `views-behind`
 */
async function expectBuilt(space: string, views: ViewReader): Promise<void> {
  // A missing shard is noted when it is first read.
  await views.watermark(utterances.topic.name, views.partitionOf(space))
  const rebuild = (await views.rebuilds([space])).find(({ topic }) => topic === utterances.topic.name)
  if (rebuild === undefined) return
  const { topic, partition, reached, end } = rebuild
  const progress = `${topic}/${partition} has ${reached} of ${end} records`
  throw new LoomlogError('views-behind', `a view of ${space} is being rebuilt (${progress}): add the statement later`)
}

/**
 * The id of the newest correction that retracted or replaced an added statement. An agent's correction leaves a
 * person's statements.
 */
async function withdrawalOf({ id, tenant, space, role }: MemoryCorrected, views: ViewReader): Promise<string | null> {
  const rows = await views.scan(utterances, {
    space: spaceKey(tenant, space),
    where: and(not(isNull('correction')), citesAnyOf([id])),
    orderBy: [{ by: 'knownFrom', direction: 'descending' }],
    limit: maxCorrections,
  })
  const found = rows.find(({ correction }) => {
    const isWithdrawal = correction?.action === 'retract' || correction?.action === 'replace'
    return isWithdrawal && (correction.role === 'human' || role !== 'human')
  })
  return found?.id ?? null
}

type Words = Pick<
  MemoryCorrected,
  'text' | 'kind' | 'subject' | 'relation' | 'object' | 'when' | 'persons' | 'keywords'
>

const noWords: Words = {
  text: null,
  kind: 'state',
  subject: '',
  relation: '',
  object: '',
  when: null,
  persons: [],
  keywords: [],
}

function pinned({ memory, kind, when, persons, keywords: telling }: CorrectionTarget): Words {
  const { text, subject, relation, object } = memory
  return { text, kind, subject, relation, object, when, persons, keywords: telling }
}

/** The new words as a statement, by rules. By default the subject is that of the replaced fact, or the author. */
function words(text: string, { by, at }: RequestOrigin, target?: CorrectionTarget): Words {
  const participants = [...new Set([...(target?.persons ?? []), target?.memory.subject ?? '', by])].filter(Boolean)
  const said = { speaker: by, text, at: target?.memory.saidAt ?? at }
  const [statement] = restate(said, { addressee: null, previous: [], participants })
  const telling = keywords([text], maxKeywords)
  if (statement) {
    const { kind, subject, relation, object, when, persons } = statement
    return { text, kind: target?.kind ?? kind, subject, relation, object, when, persons, keywords: telling }
  }
  const subject = target?.memory.subject || by
  const rest = text.toLowerCase().startsWith(subject.toLowerCase()) ? text.slice(subject.length).trim() : text
  const persons = target?.persons ?? []
  return {
    text,
    kind: target?.kind ?? 'state',
    subject,
    relation: '',
    object: rest,
    when: null,
    persons,
    keywords: telling,
  }
}

/** @param after the correction that withdrew the same statement before; null: none, or not an addition */
function correction(
  { place, by, role, reason, at }: RequestOrigin,
  action: MemoryCorrected['action'],
  conversation: string,
  content: Words & Pick<MemoryCorrected, 'target' | 'from'>,
  after: string | null = null,
): MemoryCorrected {
  const { tenant, space, principal } = place
  const { from, ...rest } = content
  const body = { tenant, space, seq: null, conversation, action, ...rest, by, role, reason }
  // Without a date the id is that of logs without the field.
  const distinction = [...(from === null ? [] : [{ from }]), ...(after === null ? [] : [after])]
  const id = hash(['correction', body, ...distinction])
  return { type: 'MemoryCorrected', id, ...body, from, at, appendedAt: Date.now(), keyId: null, principal }
}

function spaceOf({ place }: RequestOrigin): string {
  return spaceKey(place.tenant, place.space)
}

function checked(text: string): string {
  const given = text.trim().toWellFormed()
  const bytes = Buffer.byteLength(given)
  if (given === '') throw new LoomlogError('input-invalid', 'text is empty: expected the corrected wording')
  if (bytes > maxTextBytes)
    throw new LoomlogError('input-invalid', `text has ${bytes} bytes: expected at most ${maxTextBytes}`)
  return given
}
