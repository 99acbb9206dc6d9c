/**
 * The parts of the code that decide the result of an evaluation: revisions of processors, prompts, and the weights of
 * recall. Every result names those it was measured with, so that a later change of one of them shows. Speed and memory
 * depend on all code: for them the commit and the day must do.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processorsOf } from '@loomlog/app/processors'
import { hash } from '@loomlog/schemas/ids'

const root = join(import.meta.dirname, '../..')
const processors = processorsOf({ extensions: [] })

/** By name of the part: a revision, or a digest of files. */
export type CodeParts = { readonly [part: string]: number | string }

const digestChars = 12

export function codeParts(): CodeParts {
  return {
    ...Object.fromEntries(processors.map(({ stage, revision }) => [stage, revision])),
    prompts: digestOf('services/*/prompts/*.md'),
    'weights of recall': digestOf('packages/recall/ranking/weights.json'),
  }
}

function digestOf(files: string): string {
  const texts = globSync(files, { cwd: root })
    .sort()
    .map((file) => [file, readFileSync(join(root, file), 'utf8')])
  return hash(texts).slice(0, digestChars)
}

const stages = processors.map(({ stage }) => stage)
const recalled = [...stages, 'weights of recall']

/**
 * The parts that can change the figures of a file in `docs/figures`. Files of speed and memory, and of promises that
 * hold for any result, have none.
 */
export const partsUnder: { readonly [figures: string]: readonly string[] } = {
  ablation: recalled,
  answers: [...recalled, 'prompts'],
  beam: recalled,
  corpus: recalled,
  growth: recalled,
  locomo: recalled,
  corrections: stages,
  memory: stages,
  moved: [...stages, 'prompts'],
  tokens: [...stages, 'prompts'],
  'tokens-live': [...stages, 'prompts'],
  'red-team': [...stages, 'prompts'],
  shifts: ['topic-loom'],
}
