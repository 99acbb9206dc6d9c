/**
 * A benchmark: reads and ingests its data, groups its questions, and has the baselines that recall is compared with.
 */
import type { Dataset, Question, Sample } from './dataset.ts'
import type { Item } from './measures.ts'

export interface Benchmark {
  readonly name: string
  /** Groups of questions with figures of their own; the last is all questions with an answer. */
  readonly groups: readonly string[]
  read(path: string): Dataset
  /** Ingests all samples into the memory in the folder. A repetition changes nothing. */
  ingest(dataset: Dataset, path: string, dir: string): Promise<void>
  spaceOf(sample: string): string
  baselinesOf(sample: Sample): Baselines
}

export interface Baselines {
  /** The turns, in their order. */
  readonly items: readonly Item[]
  /** @param cosines of the question with every turn */
  rankings(question: Question, cosines: readonly number[]): { readonly [name: string]: readonly Item[] }
  /** For each turn, the features of a linear score that is learned on the other samples; null: there is none. */
  readonly linear: ((question: Question, cosines: readonly number[]) => number[][]) | null
}
