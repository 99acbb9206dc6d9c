/** The drafts of facts from an answer: each with sources in its boxes, a valid date, and the role of its least trusted source. */
import type { Answer } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  BoxUtterance,
  CorrectionApplied,
  Draft,
  EventTime,
  FactRecorded,
  Role,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { label, linesOf } from './box-lines.ts'
import type { WindowBox } from './state.ts'
import type { ExtractedFact, ExtractedFacts } from './task-types.ts'

/** Boxes that were read in one ask. */
export interface BoxesRead {
  readonly boxes: readonly WindowBox[]
  readonly answer: Answer<ExtractedFacts> & { readonly value: ExtractedFacts }
}

/** The last output of a window, so that later stages know that its facts are complete. */
export function windowExtracted(
  { conversation, cut }: BoxSealed,
  read: readonly BoxesRead[],
  drafts: readonly Draft<FactRecorded | CorrectionApplied>[],
): Draft<WindowExtracted> {
  const boxes = read.flatMap((each) => each.boxes)
  const completions = [...new Set(read.flatMap(({ answer }) => answer.completions))]
  return {
    type: 'WindowExtracted',
    conversation,
    boxes: boxes.map(({ id }) => id),
    utterances: linesOf(boxes).length,
    facts: drafts.filter(({ type }) => type === 'FactRecorded').length,
    cut,
    origin: { causes: [], completions, method: read[0]?.answer.by ?? 'rules' },
  }
}

export function factDrafts({ conversation }: BoxSealed, { boxes, answer }: BoxesRead): readonly Draft<FactRecorded>[] {
  const byLabel = new Map(linesOf(boxes).map((utterance, index) => [label(index), utterance]))
  return answer.value.facts.flatMap((fact) => {
    const sources = [...new Set(fact.sources)]
      .map((source) => byLabel.get(source))
      .filter((found) => found !== undefined)
    const [first] = sources
    if (first === undefined) return []
    const box = boxes.find(({ utterances }) => utterances.includes(first))?.id ?? ''
    return [draft({ box, conversation }, fact, [first, ...sources.slice(1)], answer)]
  })
}

function draft(
  place: Pick<FactRecorded, 'box' | 'conversation'>,
  fact: ExtractedFact,
  sources: readonly [BoxUtterance, ...BoxUtterance[]],
  answer: Answer<ExtractedFacts>,
): Draft<FactRecorded> {
  const ids = sources.map((source) => source.id)
  const { text, kind, subject, relation, object, location, persons, entities, keywords } = fact
  return {
    type: 'FactRecorded',
    ...place,
    ...{ text, kind, subject, relation, object, location, persons, entities, keywords },
    speaker: sources[0].speaker,
    role: leastTrusted(sources),
    saidAt: sources[0].at,
    when: eventTime(fact.when),
    sources: ids,
    correction: null,
    origin: { causes: ids, completions: answer.completions, method: answer.by },
  }
}

/** A statement with an agent's or a tool's part in it is not a person's own. */
function leastTrusted(sources: readonly [BoxUtterance, ...BoxUtterance[]]): Role {
  return sources.find((source) => source.role !== 'human')?.role ?? 'human'
}

function eventTime(when: ExtractedFact['when']): EventTime | null {
  if (when === null) return null
  const from = utc(when.from)
  const to = utc(when.to)
  return Number.isNaN(from) || Number.isNaN(to) || to < from ? null : { from, to, text: when.text }
}

const isoTime = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/** Accepts ISO 8601 only, as UTC without a zone: other forms mean different times on different machines. */
function utc(text: string): number {
  if (!isoTime.test(text)) return Number.NaN
  return Date.parse(text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text)
}
