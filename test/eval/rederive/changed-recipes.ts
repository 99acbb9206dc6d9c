/**
 * The cost of changes to a recipe: paid asks, as a share of all asks of the new derivation. The changes are prompts
 * that move a tenth of the boundaries in different ways, a prompt of the consolidator, a new version with and without a
 * raised revision, and another view embedder.
 */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BoundaryMove, sentenceOf } from './answers.ts'
import type { Outcome } from './derive-process.ts'
import { boundaries, copyWithoutDerived, derive, type World } from './world.ts'

const tasksOf = {
  boxes: ['find-shifts'],
  facts: ['extract-facts'],
  links: ['verify-links'],
  consolidation: ['consolidate-batch'],
}

const oneLineLater: BoundaryMove = { way: 'later', seed: 0 }
const otherMoves: readonly BoundaryMove[] = [
  ...[1, 2, 3, 4].map((seed) => ({ way: 'later', seed }) as const),
  ...[1, 2].flatMap((seed) => [{ way: 'gone', seed } as const, { way: 'more', seed } as const]),
]

export async function measureMoved(world: World, first: string) {
  return measureMove(oneLineLater, world, await deriveUnmoved(world, first))
}

/** The range of the shares of `moved` over eight other prompts: it shows the influence of chance. */
export async function measureSpread(world: World, first: string) {
  const before = await deriveUnmoved(world, first)
  const each: (BoundaryMove & Shares)[] = []
  for (const move of otherMoves) {
    const { byTask: _, ...found } = await measureMove(move, world, before)
    each.push({ ...move, ...found })
    console.log(JSON.stringify(each.at(-1)))
  }
  const range = (of: keyof Shares) => {
    const all = each.map((found) => found[of])
    return [Math.min(...all), Math.max(...all)]
  }
  return { facts: range('facts'), links: range('links'), consolidation: range('consolidation'), each }
}

interface Before {
  readonly dir: string
  readonly boundaries: ReadonlySet<string>
}

/** With boundaries by the model, which only a recipe that names it asks for. */
async function deriveUnmoved(world: World, first: string): Promise<Before> {
  const dir = await copyWithoutDerived(first, await mkdtemp(join(world.dir, 'before-')))
  const derived = await derive(world, dir, { parts: ['stages'], prompts: { 'topic-loom': promptsOf('topic-loom') } })
  return { dir, boundaries: await boundaries(dir, derived) }
}

function promptsOf(stage: string): string {
  return fileURLToPath(new URL(`../../../services/${stage}/prompts/`, import.meta.url))
}

/** Each change runs on a copy, because answers that one change pays for would be recorded for the next. */
async function measureMove(move: BoundaryMove, world: World, before: Before) {
  const dir = join(world.dir, `moved-${move.way}-${move.seed}`)
  await cp(before.dir, dir, { recursive: true })
  const prompts = await changedPrompts(world, { stage: 'topic-loom', task: 'find-shifts' }, sentenceOf(move))
  const after = await derive(world, dir, { parts: ['stages'], prompts: { 'topic-loom': prompts } })
  const now = await boundaries(dir, after)
  await rm(dir, { recursive: true })
  const old = before.boundaries
  const missing = (from: ReadonlySet<string>, of: ReadonlySet<string>) =>
    [...of].filter((each) => !from.has(each)).length / old.size
  const counted = { boundariesMoved: missing(now, old), boundariesNew: missing(old, now) }
  return { ...shares(after), ...counted, byTask: after.asks }
}

export async function measureUnmoved(world: World, first: string) {
  const dir = await copyWithoutDerived(first, join(world.dir, 'unmoved'))
  const stages = { parts: ['stages'] as const }
  const prompts = await changedPrompts(world, { stage: 'consolidator', task: 'consolidate-batch' }, 'be careful')
  const consolidation = await derive(world, dir, { ...stages, prompts: { consolidator: prompts } })
  const sameRevision = await derive(world, dir, stages)
  const raised = await derive(world, dir, { ...stages, raised: ['trace-weaver', 'consolidator'] })
  world.endpoint.reset()
  const settings = { LOOMLOG_EMBEDDER: 'openai:fake-embedder', LOOMLOG_EMBEDDER_DIMENSIONS: '512' }
  const embedder = await derive(world, dir, {}, settings)
  const { chat, texts } = world.endpoint.calls()
  return {
    consolidationPrompt: paid(consolidation),
    sameRevision: paid(sameRevision),
    raisedRevision: paid(raised),
    viewEmbedder: { ...paid(embedder), asks: chat, textsEmbedded: texts },
  }
}

function paid({ asks }: Outcome) {
  const all = Object.entries(asks).filter(([, each]) => each.paid > 0)
  return { paid: Object.fromEntries(all.map(([task, each]) => [task, each.paid])) }
}

interface Shares {
  readonly facts: number
  readonly links: number
  readonly consolidation: number
  readonly boxes: number
}

function shares({ asks }: Outcome): Shares {
  const share = (tasks: readonly string[]) => {
    const sum = (of: 'all' | 'paid') => tasks.reduce((total, task) => total + (asks[task]?.[of] ?? 0), 0)
    return sum('paid') / Math.max(1, sum('all'))
  }
  const { boxes, facts, links, consolidation } = tasksOf
  return { facts: share(facts), links: share(links), consolidation: share(consolidation), boxes: share(boxes) }
}

/** A copy of a stage's prompts, with one more sentence in one of them. */
async function changedPrompts(
  world: World,
  { stage, task }: { readonly stage: string; readonly task: string },
  sentence: string,
): Promise<string> {
  const from = promptsOf(stage)
  const to = await mkdtemp(join(world.dir, `${stage}-prompts-`))
  for (const name of await readdir(from)) {
    await cp(join(from, name), join(to, name))
    if (!name.startsWith(`${task}.`)) continue
    await writeFile(join(to, name), `${await readFile(join(from, name), 'utf8')}\nNote: ${sentence}.\n`)
  }
  return to
}
