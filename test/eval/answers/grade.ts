/**
 * The table of a trial, from contexts, recorded readings and verdicts. A question counts once for each memory and
 * budget: each of its readers gives an equal share, so figures may have halves. A context that no reader has read, or
 * whose answers have no verdict, is counted as not judged and stays out of the other figures. Differences between
 * memories are paired by question, with the interval of a bootstrap over conversations; one is beyond chance if the
 * interval leaves out zero.
 */
import { rounded } from '../agreement.ts'
import { questionKinds } from '../corpus/conversation.ts'
import { bootstrap, type Interval } from '../evidence/bootstrap.ts'
import { mean } from '../mean.ts'
import { type Budget, budgets, type MemoryName, memories, type QuestionContext } from './contexts.ts'
import { pairOf, type Recording, type Verdict, verdicts, verdictWithoutJudge } from './readings.ts'

/** One reader's answer to one context. */
export interface Outcome {
  readonly verdict: Verdict
  readonly contradicts: boolean
  readonly outdated: boolean
}

export interface GradedContext extends Pick<QuestionContext, 'memory' | 'budget' | 'question' | 'item'> {
  /** By reader; empty: not judged. */
  readonly outcomes: readonly Outcome[]
}

export interface Row {
  readonly questions: number
  readonly right: number
  readonly wrong: number
  readonly notThere: number
  /** The context contradicts itself. */
  readonly contradicts: number
  /** Of the right answers: with an outdated value beside them that is not marked. */
  readonly rightOutdated: number
  readonly notJudged: number
}

const all = 'all'
const groups = [...questionKinds, all] as const

export function gradeContexts(
  contexts: readonly QuestionContext[],
  { readings, judgements }: Recording,
): readonly GradedContext[] {
  const byItem = Map.groupBy(readings, ({ item }) => item)
  return contexts.map(({ memory, budget, question, item }) => {
    const outcomes = (byItem.get(item) ?? []).map(({ answer, contradicts, outdated }) => {
      const verdict = verdictWithoutJudge(question, answer) ?? judgements.get(pairOf(question, answer)) ?? null
      return verdict === null ? null : { verdict, contradicts, outdated }
    })
    const isJudged = outcomes.every((each) => each !== null)
    return { memory, budget, question, item, outcomes: isJudged ? outcomes : [] }
  })
}

export type AnswerTable = {
  readonly [memory in MemoryName]: { readonly [budget: string]: { readonly [group: string]: Row } }
}

export function tableOf(graded: readonly GradedContext[]): AnswerTable {
  const cell = (memory: MemoryName, budget: Budget) => {
    const of = graded.filter((each) => each.memory === memory && each.budget === budget)
    return Object.fromEntries(
      groups.flatMap((group) => {
        const own = of.filter(({ question: { kind } }) => group === all || group === kind)
        return own.length === 0 ? [] : [[group, rowOf(own)]]
      }),
    )
  }
  const ofMemory = (memory: MemoryName) => Object.fromEntries(budgets.map((budget) => [budget, cell(memory, budget)]))
  return Object.fromEntries(memories.map((memory) => [memory, ofMemory(memory)])) as AnswerTable
}

function rowOf(of: readonly GradedContext[]): Row {
  const judged = of.filter(({ outcomes }) => outcomes.length > 0)
  const count = (passes: (outcome: Outcome) => boolean) =>
    rounded(judged.reduce((sum, { outcomes }) => sum + shareOf(outcomes, passes), 0))
  return {
    questions: judged.length,
    right: count(({ verdict }) => verdict === 'right'),
    wrong: count(({ verdict }) => verdict === 'wrong'),
    notThere: count(({ verdict }) => verdict === 'not there'),
    contradicts: count(({ contradicts }) => contradicts),
    rightOutdated: count(({ verdict, outdated }) => verdict === 'right' && outdated),
    notJudged: of.length - judged.length,
  }
}

function shareOf(outcomes: readonly Outcome[], passes: (outcome: Outcome) => boolean): number {
  return mean(outcomes.map((outcome) => Number(passes(outcome))))
}

export interface Difference extends Interval {
  readonly budget: Budget
  readonly memory: MemoryName
  readonly against: MemoryName
  /** Questions that both memories have judged. */
  readonly questions: number
  readonly isBeyondChance: boolean
}

/** Shares of right answers of one memory less those of another. */
export function differencesOf(graded: readonly GradedContext[]): readonly Difference[] {
  const pairs = [
    ['understood', 'model'],
    ['understood', 'rules'],
    ['understood', 'fusion'],
    ['model', 'rules'],
    ['model', 'fusion'],
    ['rules', 'fusion'],
  ] as const
  return budgets.flatMap((budget) =>
    pairs.flatMap(([memory, against]) => differenceOf(graded, { budget, memory, against })),
  )
}

function differenceOf(
  graded: readonly GradedContext[],
  { budget, memory, against }: Pick<Difference, 'budget' | 'memory' | 'against'>,
): readonly Difference[] {
  const rightBy = (name: MemoryName) =>
    new Map(
      graded
        .filter((each) => each.memory === name && each.budget === budget && each.outcomes.length > 0)
        .map(({ question, outcomes }) => [question, shareOf(outcomes, ({ verdict }) => verdict === 'right')]),
    )
  const others = rightBy(against)
  const paired = [...rightBy(memory)].flatMap(([question, right]) => {
    const other = others.get(question)
    return other === undefined ? [] : [{ sample: question.sample, difference: right - other }]
  })
  if (paired.length === 0) return []
  const bySample = [...Map.groupBy(paired, ({ sample }) => sample).values()]
  const interval = bootstrap(bySample.map((each) => each.map(({ difference }) => difference)))
  const [lowest, highest] = [rounded(interval.from), rounded(interval.to)]
  const shown = { mean: rounded(interval.mean), from: lowest, to: highest }
  return [{ budget, memory, against, questions: paired.length, ...shown, isBeyondChance: lowest > 0 || highest < 0 }]
}

/** How far two readers of the same contexts agree. */
export function agreementOf(graded: readonly GradedContext[]) {
  const items = new Map(graded.map(({ item, outcomes }) => [item, outcomes]))
  const both = [...items.values()].flatMap(([one, other]) => (one && other ? [[one, other] as const] : []))
  const share = (same: (one: Outcome, other: Outcome) => boolean) =>
    rounded(mean(both.map(([one, other]) => Number(same(one, other)))))
  const sameVerdict = share((one, other) => one.verdict === other.verdict)
  // The agreement that two readers with these shares of verdicts would have by chance.
  const shareOfVerdict = (verdict: Verdict, reader: 0 | 1) =>
    mean(both.map((pair) => Number(pair[reader].verdict === verdict)))
  const byChance = verdicts.reduce((sum, each) => sum + shareOfVerdict(each, 0) * shareOfVerdict(each, 1), 0)
  return {
    contexts: both.length,
    sameVerdict,
    kappa: byChance === 1 ? 1 : rounded((sameVerdict - byChance) / (1 - byChance)),
    sameContradicts: share((one, other) => one.contradicts === other.contradicts),
    sameOutdated: share((one, other) => one.outdated === other.outdated),
  }
}
