/**
 * Turns a person's correction of a memory into source events, one for each fact that it concerns. The first carries the new words; the others
 * retract facts that state the same elsewhere.
 */
import { LoomlogError } from '@loomlog/errors'
import { maxTextBytes, type SpaceAddress } from '@loomlog/intake/utterance'
import { restate } from '@loomlog/language/restate'
import { keywords } from '@loomlog/language/terms'
import type { MemoryCorrected, Role } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import type { ViewReader } from '@loomlog/views/reader'
import { type Target, targetsOf } from './target.ts'

export interface RequestOrigin {
  readonly place: SpaceAddress
  readonly by: string
  readonly role: Role
  readonly reason: string | null
  /** Event time of the request. */
  readonly at: number
}

export type CorrectionRequest = RequestOrigin &
  (
    | { readonly action: 'replace'; readonly memory: string; readonly text: string }
    | { readonly action: 'pin' | 'retract'; readonly memory: string }
    | { readonly action: 'add'; readonly text: string; readonly conversation: string | null }
  )

/** The conversation of added statements that name none. */
const ownConversation = 'corrections'
const maxKeywords = 8

/** @throws LoomlogError `not-found`, `views-behind`, `input-invalid` */
export async function correctionsFor(
  request: CorrectionRequest,
  views: ViewReader,
): Promise<readonly MemoryCorrected[]> {
  if (request.action === 'add') {
    const text = checked(request.text)
    return [
      correction(request, 'add', request.conversation ?? ownConversation, { target: null, ...words(text, request) }),
    ]
  }
  const targets = await targetsOf(request.memory, spaceKey(request.place.tenant, request.place.space), views)
  return targets.map((target, index) => {
    const { memory, conversation } = target
    const retracting = () => correction(request, 'retract', conversation, { target: memory, ...noWords })
    if (index > 0) return retracting()
    switch (request.action) {
      case 'retract':
        return retracting()
      case 'pin':
        return correction(request, 'pin', conversation, { target: memory, ...pinned(target) })
      default: {
        const text = checked(request.text)
        if (text === memory.text)
          throw new LoomlogError('input-invalid', `text is what ${memory.memory} says already: pin it to make it stay`)
        return correction(request, 'replace', conversation, { target: memory, ...words(text, request, target) })
      }
    }
  })
}

type Words = Pick<
  MemoryCorrected,
  'text' | 'kind' | 'subject' | 'relation' | 'object' | 'when' | 'persons' | 'keywords'
>

const noWords: Words = {
  ...{ text: null, kind: 'state', subject: '', relation: '', object: '', when: null, persons: [], keywords: [] },
}

function pinned({ memory, kind, when, persons, keywords: telling }: Target): Words {
  const { text, subject, relation, object } = memory
  return { text, kind, subject, relation, object, when, persons, keywords: telling }
}

/** The new words as a statement, by rules. Where rules find none, its subject is that of the replaced fact, or the author. */
function words(text: string, { by, at }: RequestOrigin, target?: Target): Words {
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

function correction(
  { place, by, role, reason, at }: RequestOrigin,
  action: MemoryCorrected['action'],
  conversation: string,
  content: Words & Pick<MemoryCorrected, 'target'>,
): MemoryCorrected {
  const { tenant, space } = place
  const told = { tenant, space, seq: null, conversation, action, ...content, by, role, reason }
  return { type: 'MemoryCorrected', id: hash(['correction', told]), ...told, at, appendedAt: Date.now(), keyId: null }
}

function checked(text: string): string {
  const given = text.trim().toWellFormed()
  const bytes = Buffer.byteLength(given)
  if (given === '') throw new LoomlogError('input-invalid', 'text is empty: expected the words that are right')
  if (bytes > maxTextBytes)
    throw new LoomlogError('input-invalid', `text has ${bytes} bytes: expected at most ${maxTextBytes}`)
  return given
}
