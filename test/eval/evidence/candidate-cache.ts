/**
 * The candidates of every question, cached in the folder `eval` beside the memory: a search takes minutes, and learning
 * weights from the cache takes seconds. A cache file is valid for the code, the generation and the questions that it
 * was made with. Features are computed from the candidates on every run.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Candidate, CandidatePool } from '@loomlog/recall/candidates'
import type { Memory as Recalled } from '@loomlog/recall/memory'
import { type FeaturedCandidates, withFeatures } from '@loomlog/recall/rank-utterances'
import { type Wording, wordingOf } from '@loomlog/recall/wording'
import type { Question, Sample } from './dataset.ts'
import { candidatesOf, checkAgainstRecall } from './loomlog-method.ts'
import type { Memory } from './memory.ts'

interface Search {
  /** Cosines of the question with each turn. */
  readonly cosines: readonly number[]
  readonly featured: FeaturedCandidates
}

interface CachedSearch extends Pick<Search, 'cosines'> {
  /** Candidates without their words and stems, which follow from the memories. */
  readonly pool: Omit<CandidatePool, 'candidates'> & {
    readonly candidates: readonly Omit<Candidate, keyof Wording>[]
  }
}

const packages = join(import.meta.dirname, '../../../packages')
/** The source files that find candidates. */
const searching = '{language,models,recall,views}/**/*.ts'
/**
 * Code that only ranks or shows candidates, or does something else, does not invalidate the cache. The search itself
 * uses three files of `ranking/`: the texts to embed, the highest of the hits, and the cues of a text.
 */
const ranking =
  /^recall\/(?:(?:agentic|context|lineage|packing|tools)\/|ranking\/(?!(?:rank-utterances|ranks|text-cues)\.ts$)|(?:answer-from-evidence|explain|find-evidence|fixture|recall|recall-recorder|recall-reply|recall-result)\.ts$|request\/(?:parameters|recall-body)\.ts$|text\/tokens\.ts$)|\.test\.ts$/
/** One question in 25 also goes to `recall()` itself, on every run: so a stale cache stops the evaluation. */
const checkInterval = 25

/** In the order of the questions. */
export async function cachedSearches(
  sample: Sample,
  questions: readonly Question[],
  space: string,
  dir: string,
  memory: Memory,
): Promise<readonly Search[]> {
  const file = join(dir, 'eval', `${sample.id}-${await keyOf(sample, questions, memory)}`)
  const isCached = existsSync(file)
  const all = isCached
    ? (deserialize(await readFile(file)) as readonly CachedSearch[])
    : await searchQuestions(sample, questions, space, memory)
  if (!isCached) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, serialize(all))
  }
  const restored = new Map<Recalled, Wording>()
  const found: Search[] = []
  for (const [at, { cosines, pool }] of all.entries()) {
    const candidates = pool.candidates.map((candidate): Candidate => {
      const wording = restored.get(candidate.memory) ?? wordingOf(candidate.memory)
      restored.set(candidate.memory, wording)
      return { ...candidate, ...wording }
    })
    const featured = withFeatures({ query: questions[at]?.text ?? '', withEvents: true }, { ...pool, candidates })
    found.push({
      cosines,
      featured: { ...featured, candidates: candidates.map(({ memory: each, role }) => ({ memory: each, role })) },
    })
    if (at % checkInterval === 0) await checkAgainstRecall(questions[at]?.text ?? '', space, featured, memory)
  }
  return found
}

async function searchQuestions(sample: Sample, questions: readonly Question[], space: string, memory: Memory) {
  /** One copy of each memory, shared by the questions that find it. */
  const copies = new Map<string, Recalled>()
  const all: CachedSearch[] = []
  for (const { text } of questions) {
    const cosines = await memory.cosines(space, text)
    const pool = await candidatesOf(text, space, memory)
    const candidates = pool.candidates.map(({ words: _words, stems: _stems, cues: _cues, ...candidate }) => {
      const key = `${candidate.memory.kind} ${candidate.memory.id}`
      const copy = copies.get(key) ?? candidate.memory
      copies.set(key, copy)
      return { ...candidate, memory: copy }
    })
    all.push({ cosines: sample.turns.map(({ id }) => cosines.get(id) ?? 0), pool: { ...pool, candidates } })
  }
  return all
}

async function keyOf(
  sample: Sample,
  questions: readonly Question[],
  { generation, searchPlace }: Memory,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([generation, searchPlace, sample.turns, questions]))
  for (const file of searchFiles()) hash.update(`${file}\n`).update(await readFile(join(packages, file)))
  return hash.digest('hex').slice(0, 16)
}

/** The files whose change invalidates the cache. */
export function searchFiles(): readonly string[] {
  return globSync(searching, { cwd: packages })
    .filter((each) => !ranking.test(each))
    .sort()
}
