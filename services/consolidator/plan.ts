/**
 * The plan of a batch: one ask, and a second one if a merge of the first plan loses a name, a number or a date. Faulty
 * merges of the second plan are left out. Unknown labels are ignored: rules decide on facts without a valid decision,
 * as they do without an answer.
 */

import { type Answer, ask, type Effects } from '@loomlog/runtime/step'
import { byRules, type Decision } from './changes.ts'
import { lostWords, type Statement } from './grounded-words.ts'
import type { Guidance, NamedEntry } from './guidance.ts'
import { truncateAtWord } from './local.ts'
import { factLabel, type PlanAsk } from './plan-ask.ts'
import { outranks, rankOf } from './rank.ts'
import type { Entry, Fact } from './state.ts'
import type { BatchPlan, PlannedFact } from './task-types.ts'
import { consolidateBatch, maxSummary } from './tasks.ts'
import { stateKeyOf } from './term-index.ts'

/** The most characters of a heading and of a title. */
const maxHeading = 60
const maxTitle = 120

export interface Plan {
  /** By fact. The rules decide on facts that are not in it. */
  readonly guidance: ReadonlyMap<string, Guidance>
  /** By the id of a document, or the label of a new one. */
  readonly summaries: ReadonlyMap<string, string>
  /** The number of asks. */
  readonly asked: number
  /** Merges and ends that are not followed. */
  readonly refused: number
  readonly decided: Decision
}

/** A planned merge or end that is not followed. */
interface Fault {
  readonly f: string
  readonly target: string
  /** Names, numbers and dates that the merge loses; empty: the target is no rival, or about another subject. */
  readonly loses: readonly string[]
}

export function* planFor(planAsk: PlanAsk): Effects<Plan> {
  const first = yield* ask(consolidateBatch, planAsk.input)
  const hasPlan = first.kind === 'answer' && first.value.facts.length > 0
  if (!hasPlan) return noPlan(first)
  const losses = faultsOf(planAsk, first.value).filter(({ loses }) => loses.length > 0)
  if (losses.length === 0) return planOf(planAsk, [first])
  const refused = losses.map(({ f, target, loses }) => `${f} same ${target}: loses ${loses.join(', ')}`)
  const second = yield* ask(consolidateBatch, { ...planAsk.input, refused })
  return planOf(planAsk, second.kind === 'answer' && second.value.facts.length > 0 ? [first, second] : [second, first])
}

function noPlan({ by, completions }: Answer<BatchPlan>): Plan {
  const decided = { ...byRules, completions }
  return { guidance: new Map(), summaries: new Map(), asked: by === byRules.by ? 0 : 1, refused: 0, decided }
}

/** @param answers the last one counts */
function planOf(planAsk: PlanAsk, answers: readonly Answer<BatchPlan>[]): Plan {
  const last = answers.at(-1)
  const completions = [...new Set(answers.flatMap((answer) => answer.completions))]
  const decided = { by: last?.by ?? byRules.by, completions }
  const plan = last?.value ?? { facts: [], titles: [], summaries: [] }
  const faults = faultsOf(planAsk, plan)
  const guidance = new Map<string, Guidance>()
  for (const planned of plan.facts) {
    const fact = planAsk.facts[indexOf(planned.f)]
    if (fact === undefined || guidance.has(fact.id)) continue
    const own = faults.filter(({ f }) => f === planned.f)
    const merged = planned.same.filter((target) => !own.some((fault) => fault.target === target))
    // A refused merge may still be an end, but not of another subject.
    const isForeign = (target: string) => own.some((fault) => fault.target === target && fault.loses.length === 0)
    const ended = planned.ends.filter((target) => !merged.includes(target) && !isForeign(target))
    const named = (targets: readonly string[]) =>
      targets.map((target) => namedBy(planAsk, planned, target)).filter((each) => each !== null)
    guidance.set(fact.id, {
      same: named(merged),
      ends: named(ended),
      document: documentOf(planAsk, plan, planned),
      heading: truncateAtWord(planned.heading, maxHeading),
      isFaulty: own.length > 0,
      decided,
    })
  }
  return { guidance, summaries: summariesOf(planAsk, plan), asked: answers.length, refused: faults.length, decided }
}

function documentOf(planAsk: PlanAsk, plan: BatchPlan, { d }: PlannedFact): Guidance['document'] {
  const id = planAsk.documents.get(d)
  if (id !== undefined) return { id }
  const title = truncateAtWord(plan.titles.find((each) => each.d === d)?.title ?? '', maxTitle)
  return /^n\d+$/.test(d) ? { opens: d, title } : null
}

function summariesOf(planAsk: PlanAsk, { summaries }: BatchPlan): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { d, summary } of summaries) {
    const key = planAsk.documents.get(d) ?? planAsk.profiles.get(d) ?? (/^n\d+$/.test(d) ? d : null)
    if (key !== null && summary.trim() !== '') found.set(key, truncateAtWord(summary, maxSummary))
  }
  return found
}

/** Merges that lose words, and merges and ends of targets that are no rivals or about another subject. */
function faultsOf(planAsk: PlanAsk, plan: BatchPlan): readonly Fault[] {
  return plan.facts.flatMap(({ f, same, ends }) => {
    const fact = planAsk.facts[indexOf(f)]
    if (fact === undefined) return []
    const foreign = [...same, ...ends].filter((target) => isForeign(planAsk, fact, target))
    const losing = same
      .filter((target) => !foreign.includes(target))
      .flatMap((target): Fault[] => {
        const loses = lossOf(planAsk, fact, target)
        return loses.length === 0 ? [] : [{ f, target, loses }]
      })
    return [...foreign.map((target): Fault => ({ f, target, loses: [] })), ...losing]
  })
}

function isForeign(planAsk: PlanAsk, fact: Fact, target: string): boolean {
  if (planAsk.entries.has(target)) return !planAsk.rivals.get(fact.id)?.has(target)
  const other = planAsk.facts[indexOf(target)]
  return other !== undefined && stateKeyOf(other.subject) !== stateKeyOf(fact.subject)
}

/** The words of the higher rank stay, and must say everything that the others say. */
function lossOf(planAsk: PlanAsk, fact: Fact, target: string): readonly string[] {
  const entry = planAsk.entries.get(target)?.entry
  const other = planAsk.facts[indexOf(target)]
  if (entry)
    return outranks(entry.rank, rankOf(fact)) ? lostWords(fact, ofEntry(entry)) : lostWords(ofEntry(entry), fact)
  if (other === undefined) return []
  return outranks(rankOf(other), rankOf(fact)) ? lostWords(fact, other) : lostWords(other, fact)
}

function ofEntry({ text, factKind: kind, when }: Entry): Statement {
  return { text, kind, when }
}

function namedBy(planAsk: PlanAsk, { f }: PlannedFact, target: string): NamedEntry | null {
  const entry = planAsk.entries.get(target)
  if (entry) return { entry: entry.place }
  const other = planAsk.facts[indexOf(target)]
  return other !== undefined && indexOf(target) < indexOf(f) ? { fact: other.id } : null
}

function indexOf(label: string): number {
  const index = Number(/^f(\d+)$/.exec(label)?.[1] ?? Number.NaN) - 1
  return factLabel(index) === label ? index : -1
}
