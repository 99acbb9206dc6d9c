/**
 * The drafts of facts from an answer, each with sources in its boxes; and the end of a window, with the topics of its
 * boxes.
 */
import type { Answer } from '@loomlog/runtime/step'
import type {
  BoxUtterance,
  CorrectionApplied,
  Draft,
  FactRecorded,
  WindowEnd,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { type FactRow, readRows, type TopicRow } from './answer-rows.ts'
import { contextIn, lineLabel, linesOf } from './box-lines.ts'
import type { Contexts, WindowBox } from './state.ts'
import { factOfRow, factOfRules, type StatedFact } from './stated-fact.ts'
import type { FactAnswer } from './task-types.ts'

/** Boxes that were read in one ask. */
export interface AnsweredBoxes {
  readonly boxes: readonly WindowBox[]
  /** The lines before these boxes, as the ask had them. */
  readonly known: Contexts
  readonly answer: Answer<FactAnswer> & { readonly value: FactAnswer }
}

/** The last output of a window, so that later stages know that its facts are complete. */
export function windowExtracted(
  read: readonly AnsweredBoxes[],
  closedBy: WindowEnd,
  drafts: readonly Draft<FactRecorded | CorrectionApplied>[],
): Draft<WindowExtracted> {
  const boxes = read.flatMap((each) => each.boxes)
  const last = boxes.at(-1)
  return {
    type: 'WindowExtracted',
    conversation: last?.conversation ?? '',
    boxes: boxes.map(({ id }) => id),
    utterances: linesOf(boxes).length,
    facts: drafts.filter(({ type }) => type === 'FactRecorded').length,
    cut: last?.cut ?? 'pause',
    closedBy,
    topics: read.flatMap(topicsIn),
    origin: {
      causes: [],
      completions: [...new Set(read.flatMap(({ answer }) => answer.completions))],
      method: read[0]?.answer.by ?? 'rules',
    },
  }
}

/** Of each box the topic of most of its lines; of equals, the first one. */
function topicsIn({ boxes, answer }: AnsweredBoxes): WindowExtracted['topics'] {
  const topics = topicsOfLines(boxes, 'rows' in answer.value ? readRows(answer.value.rows).topics : [])
  return boxes.flatMap(({ id, utterances }) => {
    const counts = Map.groupBy(
      utterances.flatMap((utterance) => topics.get(utterance.id) ?? []),
      (topic) => topic,
    )
    const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length)
    return most === undefined ? [] : [{ box: id, topic: most[0] }]
  })
}

/** By id of the line. A topic lasts until the next one of its conversation. */
function topicsOfLines(boxes: readonly WindowBox[], topics: readonly TopicRow[]): ReadonlyMap<string, string> {
  const conversations = new Map(boxes.flatMap((box) => box.utterances.map(({ id }) => [id, box.conversation])))
  const beginning = new Map(topics.map(({ label, topic }) => [label, topic]))
  const current = new Map<string | undefined, string>()
  return new Map(
    linesOf(boxes).flatMap(({ id }, index) => {
      const conversation = conversations.get(id)
      const topic = beginning.get(lineLabel(index)) ?? current.get(conversation)
      if (topic === undefined) return []
      current.set(conversation, topic)
      return [[id, topic] as const]
    }),
  )
}

/** A fact before its evidence is checked. */
export interface FactDraft {
  readonly fact: Draft<FactRecorded>
  /** The row of a model, and the same fact without its time; null: by rules. */
  readonly row: { readonly told: FactRow; readonly timeless: Draft<FactRecorded> } | null
}

export function factDrafts({ boxes, known, answer }: AnsweredBoxes): readonly FactDraft[] {
  const byLabel = new Map(linesOf(boxes).map((utterance, index) => [lineLabel(index), utterance]))
  const placed = (labels: readonly string[], subject: string) => {
    const [first, ...others] = [...new Set(labels)]
      .map((label) => byLabel.get(label))
      .filter((line) => line !== undefined)
    const box = boxes.find(({ utterances }) => first && utterances.includes(first))
    if (first === undefined || box === undefined) return null
    const sources = [first, ...others] as const
    return { box: box.id, conversation: box.conversation, sources, said: tellingLine(subject, sources) }
  }
  if ('facts' in answer.value)
    return answer.value.facts.flatMap((fact) => {
      const place = placed(fact.sources, fact.subject)
      return place ? [{ fact: draft(place, factOfRules(fact), noMarks, answer), row: null }] : []
    })
  return readRows(answer.value.rows).facts.flatMap((told) => {
    const place = placed(told.labels, told.subject)
    if (place === null) return []
    const { language, participants } = contextIn(known, place.conversation)
    const speakers = linesOf(boxes).map(({ speaker }) => speaker)
    const reading = {
      saidAt: place.said.at,
      participants: [...new Set([...participants, ...speakers])],
      line: place.said.text,
      language,
    }
    const isInstruction = told.isWish && place.said.role === 'human' && !isOfPerson(told.subject, boxes)
    const marks = { isChange: told.isChange, isInstruction }
    const fact = draft(place, factOfRow(told, reading), marks, answer)
    const timeless = draft(place, factOfRow({ ...told, time: null }, reading), marks, answer)
    return [{ fact, row: { told, timeless } }]
  })
}

interface FactPlace extends Pick<FactRecorded, 'box' | 'conversation'> {
  readonly sources: readonly [BoxUtterance, ...BoxUtterance[]]
  /** The line that counts as saying it. */
  readonly said: BoxUtterance
}

const noMarks = { isChange: false, isInstruction: false }

function draft(
  { box, conversation, sources, said }: FactPlace,
  stated: StatedFact,
  marks: Pick<FactRecorded, 'isChange' | 'isInstruction'>,
  answer: AnsweredBoxes['answer'],
): Draft<FactRecorded> {
  const ids = sources.map(({ id }) => id)
  return {
    type: 'FactRecorded',
    box,
    conversation,
    ...stated,
    speaker: said.speaker,
    role: said.role,
    saidAt: said.at,
    ...marks,
    sources: ids,
    inferred: [],
    correction: null,
    origin: { causes: ids, completions: answer.completions, method: answer.by },
  }
}

/**
 * The cited line of the subject's own speaker, else the first cited one. So a person's word stays theirs although an
 * agent repeats it, and an agent's word about a person stays the agent's.
 */
function tellingLine(subject: string, sources: readonly [BoxUtterance, ...BoxUtterance[]]): BoxUtterance {
  return sources.find(({ speaker }) => beginsWith(subject, speaker)) ?? sources[0]
}

/** A wish what a person shall do is no instruction to an agent. */
function isOfPerson(subject: string, boxes: readonly WindowBox[]): boolean {
  return linesOf(boxes).some(({ speaker, role }) => role === 'human' && beginsWith(subject, speaker))
}

/** `Ann`, `Ann and Tom`, `Ann's boat`; also the first name of `Ann Miller`. */
function beginsWith(subject: string, speaker: string): boolean {
  const own = subject.toLowerCase()
  return [speaker.toLowerCase(), speaker.toLowerCase().split(' ')[0] ?? ''].some(
    (name) => name !== '' && own.startsWith(name) && !/^[\p{L}\p{N}]/u.test(own.slice(name.length)),
  )
}
