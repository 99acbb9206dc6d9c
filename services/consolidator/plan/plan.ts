/**
 * The plan of a batch: one ask, and a second one if a row names an ending against the order of time. Such an ending in
 * the second answer, and a merge that loses words in either, is left out: a fact beside its like does little harm.
 * Unknown labels and rows that can't be read are ignored and counted.
 */

import { type Answer, ask, type Effects } from '@loomlog/runtime/step'
import { byRules, type Decision } from '../changes.ts'
import { isAnswer } from '../documents/planned-placement.ts'
import { endable, endingRefusal } from '../record/endings.ts'
import { isOtherMatter, lostWords } from '../record/grounded-words.ts'
import { outranks, rankOf } from '../record/rank.ts'
import type { Entry, Fact } from '../state.ts'
import type { BatchInput, BatchPlan } from '../task-types.ts'
import { consolidateBatch } from '../tasks.ts'
import type { Guidance, NamedEntry, PlannedDocument } from './guidance.ts'
import { factLabel, type PlanAsk } from './plan-ask.ts'
import { type PlannedFact, type PlanRows, readPlan } from './plan-rows.ts'

export interface Plan {
  /** By fact: each fact of the batch. Null: there is no plan, and the rules decide. */
  readonly guidance: ReadonlyMap<string, Guidance> | null
  /** Endings of facts that the plan lists later than the one that ends them. */
  readonly lateEnds: readonly { readonly fact: Fact; readonly ends: readonly NamedEntry[] }[]
  readonly rows: PlanRows
  /** The number of asks. */
  readonly asked: number
  /** Rows and labels that are ignored, and merges and ends that are not followed. */
  readonly refused: number
  readonly decided: Decision
}

/** A planned merge or end that is not followed. */
interface Fault {
  readonly label: string
  readonly target: string
  /** For the second ask; null: nothing to ask. */
  readonly reason: string | null
}

export function* planFor(planAsk: PlanAsk): Effects<Plan> {
  const first = yield* ask(consolidateBatch, planAsk.input)
  const rows = rowsIn(first)
  if (rows.facts.size === 0) return noPlan(first, rows)
  const open = faultsOf(planAsk, rows).filter(({ reason }) => reason !== null)
  if (!open.some(({ target }) => target.startsWith('-'))) return planOf(planAsk, rows, [first])
  const second = yield* ask(consolidateBatch, repairOf(planAsk.input, rows, open))
  return planOf(planAsk, revised(rows, rowsIn(second), open), [first, second])
}

/** Only the facts with a fault, the facts that they name, and the documents of both the facts and the named entries. */
function repairOf({ documents, facts }: BatchInput, rows: PlanRows, open: readonly Fault[]): BatchInput {
  const labels = new Set(open.flatMap(({ label, target }) => [label, target.slice(1)]))
  const filed = new Set(open.map(({ label }) => rows.facts.get(label)?.document))
  return {
    documents: documents.filter(
      (each) => filed.has(each.label) || each.entries.some((entry) => labels.has(entry.label)),
    ),
    facts: facts.filter(({ label }) => labels.has(label)),
    refused: open.map(({ label, target, reason }) => `${label} ${target}: ${reason}`),
  }
}

function rowsIn({ value }: Answer<BatchPlan>): PlanRows {
  return readPlan(value?.rows ?? [])
}

function noPlan({ by, completions }: Answer<BatchPlan>, rows: PlanRows): Plan {
  const decided = { ...byRules, completions }
  return { guidance: null, lateEnds: [], rows, asked: by === byRules.by ? 0 : 1, refused: rows.unread, decided }
}

/** The first answer, with the second one's merges and ends in place of those with a fault. */
function revised(first: PlanRows, second: PlanRows, faults: readonly Fault[]): PlanRows {
  const facts = new Map(first.facts)
  for (const [label, of] of Map.groupBy(faults, (fault) => fault.label)) {
    const [before, after] = [first.facts.get(label), second.facts.get(label)]
    if (!before || !after) continue
    const faulty = new Set(of.map(({ target }) => target))
    const kept = (sign: string, targets: readonly string[]) => targets.filter((each) => !faulty.has(`${sign}${each}`))
    facts.set(label, {
      ...before,
      same: [...new Set([...kept('=', before.same), ...after.same])],
      ends: [...new Set([...kept('-', before.ends), ...after.ends])],
    })
  }
  return { ...first, facts, unread: first.unread + second.unread }
}

function planOf(planAsk: PlanAsk, rows: PlanRows, answers: readonly Answer<BatchPlan>[]): Plan {
  const completions = [...new Set(answers.flatMap((answer) => answer.completions))]
  const decided = { by: answers[0]?.by ?? byRules.by, completions }
  const faults = faultsOf(planAsk, rows)
  const isFaulty = (label: string, mark: string) => faults.some((each) => each.label === label && each.target === mark)
  const merges = inOrder(
    [...rows.facts.values()].flatMap(({ label, same }) => same.map((target) => [label, target] as const)),
  )
  const answered = answersOf(planAsk, rows)
  const guidance = new Map<string, Guidance>()
  const lateEnds: Plan['lateEnds'][number][] = []
  for (const [index, fact] of planAsk.facts.entries()) {
    const label = factLabel(index)
    const planned = rows.facts.get(label) ?? null
    const same = merges.filter(
      ([own, other]) => own === label && !isFaulty(own, `=${other}`) && !isFaulty(other, `=${own}`),
    )
    const isMerged = (target: string) => same.some(([, other]) => other === target)
    const ends = (planned?.ends ?? []).filter((target) => !isFaulty(label, `-${target}`) && !isMerged(target))
    const [late, early] = [
      ends.filter((target) => indexOf(target) > index),
      ends.filter((target) => indexOf(target) <= index),
    ]
    if (late.length > 0) lateEnds.push({ fact, ends: namedBy(planAsk, late) })
    const document = planned && documentOf(planAsk, rows, planned)
    guidance.set(fact.id, {
      same: namedBy(
        planAsk,
        same.map(([, other]) => other),
      ),
      ends: namedBy(planAsk, early),
      document,
      heading: document === null ? '' : (planned?.heading ?? ''),
      isOneOfSeveral: document === null || (planned?.isOneOfSeveral ?? true),
      askedAs: planned?.askedAs ?? [],
      hasStateBeside: planned !== null && answered.has(placeOf(planned)),
      // The rules place a fact that the plan leaves out.
      decided: document === null ? { ...byRules, completions } : decided,
    })
  }
  const unknown = [...rows.facts.keys()].filter((label) => indexOf(label) < 0 || indexOf(label) >= planAsk.facts.length)
  return {
    guidance,
    lateEnds,
    rows,
    asked: answers.length,
    refused: faults.length + rows.unread + unknown.length,
    decided,
  }
}

/** Each pair once: the later fact repeats the earlier one. */
function inOrder(pairs: readonly (readonly [string, string])[]): typeof pairs {
  return pairs.map(([own, other]) => (indexOf(other) > indexOf(own) ? [other, own] : [own, other]))
}

/** The headings, with their documents, that facts other than events answer. */
function answersOf({ facts }: PlanAsk, rows: PlanRows): ReadonlySet<string> {
  const states = [...rows.facts.values()].filter(({ label, isOneOfSeveral }) => {
    const kind = facts[indexOf(label)]?.kind
    return !isOneOfSeveral && kind !== undefined && isAnswer(kind)
  })
  return new Set(states.map(placeOf))
}

function placeOf({ document, heading }: PlannedFact): string {
  return `${document} ${heading.toLowerCase()}`
}

function documentOf(planAsk: PlanAsk, rows: PlanRows, { document: label }: PlannedFact): PlannedDocument {
  if (label === null) return null
  const id = planAsk.documents.get(label)
  if (id !== undefined) return { id }
  return label.startsWith('n') ? { opens: label, ...(rows.opens.get(label) ?? { title: '', holds: '' }) } : null
}

function faultsOf(planAsk: PlanAsk, rows: PlanRows): readonly Fault[] {
  return [...rows.facts.values()].flatMap(({ label, document, same, ends }) => {
    const fact = planAsk.facts[indexOf(label)]
    if (fact === undefined) return []
    const isUnknown = document !== null && /^d/.test(document) && !planAsk.documents.has(document)
    const misfiled: Fault[] = isUnknown ? [{ label, target: document, reason: null }] : []
    const merged = same.flatMap((target) => mergeFault(planAsk, { label, fact, target }) ?? [])
    const ended = ends.flatMap((target) => endFault(planAsk, { label, fact, target }) ?? [])
    return [...misfiled, ...merged, ...ended]
  })
}

interface PlannedMark {
  readonly label: string
  readonly fact: Fact
  readonly target: string
}

function endFault(planAsk: PlanAsk, { label, fact, target }: PlannedMark): Fault | null {
  const other = planAsk.facts[indexOf(target)]
  const entry = planAsk.entries.get(target)?.entry ?? (other && endable(other))
  const mark = `-${target}`
  if (entry === undefined || other === fact) return { label, target: mark, reason: null }
  const refusal = endingRefusal(fact, entry)
  if (refusal === null) return null
  return { label, target: mark, reason: refusal === 'not later' ? `${target} is newer and holds later` : null }
}

/**
 * The words of the higher rank stay, and must say everything that the others say; of equal rank, those that say more.
 */
function mergeFault(planAsk: PlanAsk, { label, fact, target }: PlannedMark): Fault | null {
  const other = planAsk.facts[indexOf(target)]
  const entry = planAsk.entries.get(target)?.entry
  const said = entry ? ofEntry(entry) : (other ?? null)
  const mark = `=${target}`
  if (said === null || other === fact || isOtherMatter(said, fact)) return { label, target: mark, reason: null }
  const rank = entry ? entry.rank : other ? rankOf(other) : rankOf(fact)
  const [ofOther, ofFact] = [lostWords(said, fact), lostWords(fact, said)]
  const loses = outranks(rank, rankOf(fact)) ? ofFact : outranks(rankOf(fact), rank) || ofFact.length > 0 ? ofOther : []
  return loses.length === 0 ? null : { label, target: mark, reason: `loses ${[...new Set(loses)].join(', ')}` }
}

function ofEntry({ text, subject, factKind: kind, when }: Entry) {
  return { text, subject, kind, when }
}

function namedBy(planAsk: PlanAsk, labels: readonly string[]): readonly NamedEntry[] {
  return labels.flatMap((label): readonly NamedEntry[] => {
    const entry = planAsk.entries.get(label)
    if (entry) return [{ entry: entry.place }]
    const fact = planAsk.facts[indexOf(label)]
    return fact === undefined ? [] : [{ fact: fact.id }]
  })
}

/** -1: no label of a fact. */
function indexOf(label: string): number {
  const index = Number(/^f(\d+)$/.exec(label)?.[1] ?? Number.NaN) - 1
  return factLabel(index) === label ? index : -1
}
