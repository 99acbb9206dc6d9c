/**
 * What the memory says to the questions of a conversation, kept in the folder `eval` beside it: asking takes minutes, and weights are then
 * learned and compared in seconds. What is kept is derived, and holds for the code, the generation and the questions it was made with:
 * for others it is made anew.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { FeaturedCandidates } from '@loomlog/recall/rank-utterances'
import type { Question, Sample } from './dataset.ts'
import { type Memory, spaceOf } from './memory.ts'
import { checkAgainstRecall, examined } from './ours.ts'

export interface Heard {
  /** Of the question with each turn. */
  readonly cosines: readonly number[]
  readonly found: FeaturedCandidates
}

const packages = join(import.meta.dirname, '../../../packages')
/** The code that decides what is found. */
const deciding = '{language,models,recall,views}/**/*.ts'
/** What only ranks and shows what was found, or does something else, decides nothing of it. */
const showing =
  /^recall\/(?:(?:agentic|lineage|packing|tools)\/|(?:answer-from-evidence|explain|fixture|recall|recall-recorder|recall-result)\.ts$|request\/(?:parameters|request)\.ts$|ranking\/(?:answerable|weights)\.ts$|text\/tokens\.ts$)|\.test\.ts$/
/** Every so manieth question is put to `recall()` itself. */
const checkedOf = 25

/** For each of the questions, in their order. */
export async function heard(
  sample: Sample,
  questions: readonly Question[],
  dir: string,
  memory: Memory,
): Promise<readonly Heard[]> {
  const file = join(dir, 'eval', `${sample.id}-${await keyOf(sample, questions, memory.generation)}`)
  if (existsSync(file)) return deserialize(await readFile(file)) as readonly Heard[]
  const space = spaceOf(sample.id)
  const all: Heard[] = []
  for (const question of questions) {
    const near = await memory.cosines(space, question.text)
    const found = await examined(question, space, memory)
    if (all.length % checkedOf === 0) await checkAgainstRecall(question, space, found, memory)
    all.push({ cosines: sample.turns.map(({ id }) => near.get(id) ?? 0), found })
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, serialize(all))
  return all
}

async function keyOf(sample: Sample, questions: readonly Question[], generation: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([generation, sample.turns, questions]))
  const files = globSync(deciding, { cwd: packages }).filter((each) => !showing.test(each))
  for (const file of files.sort()) {
    hash.update(`${file}\n`).update(await readFile(join(packages, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
