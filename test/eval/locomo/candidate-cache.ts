/**
 * The candidates of every question, cached in the folder `eval` beside the memory: searching takes minutes, and learning weights from the
 * cache takes seconds. A cache file is valid for the code, the generation and the questions that it was made with.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { FeaturedCandidates } from '@loomlog/recall/rank-utterances'
import type { Question, Sample } from './dataset.ts'
import { checkAgainstRecall, featuredCandidates } from './loomlog-method.ts'
import { type Memory, spaceOf } from './memory.ts'

export interface CachedSearch {
  /** Of the question with each turn. */
  readonly cosines: readonly number[]
  readonly featured: FeaturedCandidates
}

const packages = join(import.meta.dirname, '../../../packages')
/** The code that finds candidates and computes their features. */
const searching = '{language,models,recall,views}/**/*.ts'
/** Code that only ranks or shows candidates, or does something else, does not invalidate the cache. */
const ranking =
  /^recall\/(?:(?:agentic|lineage|packing|tools)\/|(?:answer-from-evidence|contribution|explain|find-evidence|fixture|recall|recall-recorder|recall-result)\.ts$|request\/(?:parameters|request)\.ts$|ranking\/(?:answerable|merge-kinds|weights)\.ts$|text\/tokens\.ts$)|\.test\.ts$/
/** One question in 25 is also put to `recall()` itself. */
const checkInterval = 25

/** For each of the questions, in their order. */
export async function cachedSearches(
  sample: Sample,
  questions: readonly Question[],
  dir: string,
  memory: Memory,
): Promise<readonly CachedSearch[]> {
  const file = join(dir, 'eval', `${sample.id}-${await keyOf(sample, questions, memory.generation)}`)
  if (existsSync(file)) return deserialize(await readFile(file)) as readonly CachedSearch[]
  const space = spaceOf(sample.id)
  const all: CachedSearch[] = []
  for (const question of questions) {
    const cosines = await memory.cosines(space, question.text)
    const featured = await featuredCandidates(question, space, memory)
    if (all.length % checkInterval === 0) await checkAgainstRecall(question, space, featured, memory)
    all.push({ cosines: sample.turns.map(({ id }) => cosines.get(id) ?? 0), featured })
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, serialize(all))
  return all
}

async function keyOf(sample: Sample, questions: readonly Question[], generation: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([generation, sample.turns, questions]))
  const files = globSync(searching, { cwd: packages }).filter((each) => !ranking.test(each))
  for (const file of files.sort()) {
    hash.update(`${file}\n`).update(await readFile(join(packages, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
