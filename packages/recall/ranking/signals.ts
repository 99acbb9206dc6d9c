/** The measurements of a question against its candidates that several features are computed from. */
import type { Question } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { stemsOf } from '../text/stems.ts'
import { type CandidateValues, Neighbourhood, products, sharesOfHighest, valuesOf } from './candidate-values.ts'
import { CandidateWords, type WeightedStems } from './candidate-words.ts'
import { type TimeCues, timeCues } from './cues.ts'

/** Weights of the turns around a candidate, by distance. */
export const neighbourWeights = {
  itself: [1],
  beside: [1, 1],
  wide: [1, 1, 1, 1],
  fading: [1, 0.5, 0.25, 0.125, 0.0625, 0.03125],
  slowlyFading: [1, 0.7, 0.49, 0.343, 0.2401],
} as const

export interface Signals {
  readonly question: Question
  readonly pool: readonly Candidate[]
  readonly near: Neighbourhood
  readonly words: CandidateWords
  /**
   * The question's stems without the names of speakers: "What did Ann sell?" is a question about selling, answered by
   * Ann.
   */
  readonly subject: WeightedStems
  /** BM25 of each candidate by itself. */
  readonly bm25: CandidateValues
  /** The share of the question's words in a candidate and around it. */
  readonly coverage: CandidateValues
  /** BM25 with the stems that the best candidates have in common. */
  readonly expandedBm25: CandidateValues
  readonly cosine: CandidateValues
  /** The cosine with the question as a statement; without a statement, with the question. */
  readonly statementCosine: CandidateValues
  /** Whether the question names the candidate's speaker. A fact is matched by the names in its text. */
  readonly ofNamedSpeaker: CandidateValues
  readonly namesSpeaker: boolean
  readonly time: TimeCues
  /** Whether an agent, a tool or a system said it. */
  readonly ofAgent: CandidateValues
  /** Whether a person said it to an agent: 0 for all in a conversation of people alone. */
  readonly ofPersonWithAgent: CandidateValues
  /** The value of the previous turn, if this turn follows a question. */
  ofQuestionBefore(values: CandidateValues): CandidateValues
}

export function signalsOf(question: Question, pool: readonly Candidate[]): Signals {
  const { speakers, names, subject } = subjectOf(question, pool)
  const isOfNamed = ({ memory, stems }: Candidate) =>
    memory.kind === 'utterance' ? speakers.has(memory.speaker) : [...names].some((name) => stems.counts.has(name))
  const near = new Neighbourhood(pool)
  const ofAgent = valuesOf(pool, ({ role }) => Number(role !== null && role !== 'human'))
  const withAgents = ofAgent.includes(1)
  const words = new CandidateWords(pool, near)
  const weighted = new Map(subject.map((stem) => [stem, 1]))
  const bm25 = words.bm25(weighted, neighbourWeights.itself)
  const cosine = valuesOf(pool, ({ cosines }) => cosines[0] ?? 0)
  const firstScores = sharesOfHighest(bm25).map((share, at) => share + 0.6 * (cosine[at] ?? 0))
  const expansion = words.expansionStems(firstScores, new Set([...subject, ...names]))
  const asks = valuesOf(pool, ({ cues }) => cues.asks)
  const followsQuestion = near.beside(asks, -1)
  return {
    question,
    pool,
    near,
    words,
    subject: weighted,
    bm25,
    coverage: words.coverage(subject, neighbourWeights.slowlyFading),
    expandedBm25: words.bm25(expansion, neighbourWeights.itself),
    cosine,
    statementCosine: valuesOf(pool, ({ cosines }) => cosines[1] ?? cosines[0] ?? 0),
    ofNamedSpeaker: valuesOf(pool, (candidate) => Number(isOfNamed(candidate))),
    namesSpeaker: speakers.size > 0,
    time: timeCues(question, pool),
    ofAgent,
    ofPersonWithAgent: valuesOf(pool, ({ role }) => Number(role === 'human' && withAgents)),
    ofQuestionBefore: (values) => products(near.beside(values, -1), followsQuestion),
  }
}

/** The speakers whom a question names, the stems of their names, and the question's other stems. */
function subjectOf(question: Question, pool: readonly Candidate[]) {
  const utterances = pool.filter(({ memory }) => memory.kind === 'utterance')
  const everyone = new Set(utterances.map(({ memory }) => memory.speaker))
  const names = new Map([...everyone].map((speaker) => [speaker, [...stemsOf(speaker).counts.keys()]]))
  const inQuestion = new Set(question.stems)
  const named = [...names].filter(([, stems]) => stems.some((stem) => inQuestion.has(stem)))
  const ofNames = new Set(named.flatMap(([, stems]) => stems))
  return {
    speakers: new Set(named.map(([speaker]) => speaker)),
    names: ofNames,
    subject: question.stems.filter((stem) => !ofNames.has(stem)),
  }
}
