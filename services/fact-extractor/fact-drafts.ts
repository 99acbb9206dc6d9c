/** The drafts of facts from an answer: each with sources in its boxes, a valid date, and the role of its least trusted source. */
import type { Answer } from '@loomlog/runtime/step'
import type {
  BoxUtterance,
  CorrectionApplied,
  Draft,
  EventTime,
  FactRecorded,
  Role,
  WindowEnd,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { lineLabel, linesOf } from './box-lines.ts'
import { factsIn } from './fact-rows.ts'
import type { Contexts, WindowBox } from './state.ts'
import type { ExtractedFact, FactAnswer } from './task-types.ts'

/** Boxes that were read in one ask. */
export interface AnsweredBoxes {
  readonly boxes: readonly WindowBox[]
  /** The lines before these boxes, as the ask had them. */
  readonly known: Contexts
  readonly answer: Answer<FactAnswer> & { readonly value: FactAnswer }
}

/**
 * The last output of a window, so that later stages know that its facts are complete.
 *
 * @param completions of all its asks, also of those that gave no fact
 */
export function windowExtracted(
  read: readonly AnsweredBoxes[],
  closedBy: WindowEnd,
  drafts: readonly Draft<FactRecorded | CorrectionApplied>[],
  completions: readonly string[] = [],
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
    topics: [],
    origin: { causes: [], completions: [...new Set(completions)], method: read[0]?.answer.by ?? 'rules' },
  }
}

export function factDrafts({ boxes, answer }: AnsweredBoxes): readonly Draft<FactRecorded>[] {
  const byLabel = new Map(linesOf(boxes).map((utterance, index) => [lineLabel(index), utterance]))
  const found = 'rows' in answer.value ? factsIn(answer.value.rows) : answer.value.facts
  return found.flatMap((fact) => {
    const sources = [...new Set(fact.sources)]
      .map((source) => byLabel.get(source))
      .filter((found) => found !== undefined)
    const [first] = sources
    const box = boxes.find(({ utterances }) => first && utterances.includes(first))
    if (first === undefined || box === undefined) return []
    const { id, conversation } = box
    return [draft({ box: id, conversation }, fact, [first, ...sources.slice(1)], answer)]
  })
}

function draft(
  place: Pick<FactRecorded, 'box' | 'conversation'>,
  fact: ExtractedFact,
  sources: readonly [BoxUtterance, ...BoxUtterance[]],
  answer: Answer<FactAnswer>,
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
    until: null,
    isChange: false,
    isInstruction: false,
    sources: ids,
    inferred: [],
    correction: null,
    origin: { causes: ids, completions: answer.completions, method: answer.by },
  }
}

/** The role of the first source that is no person, if any: a statement with an agent's part is no person's own. */
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
