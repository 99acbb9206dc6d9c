/**
 * Changes to a recipe, and what they cost: the asks that are paid for, over all that the new derivation needs. A prompt that moves a
 * tenth of the boundaries; a prompt of the consolidator; a new version with and without a raised revision; another view embedder.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { movedMarker } from './answers.ts'
import type { Outcome } from './deriving.ts'
import { boundaries, derive, type World, withoutDerived } from './world.ts'

const tasksOf = {
  boxes: ['classify-shift', 'describe-box'],
  facts: ['extract-facts'],
  links: ['extract-events', 'verify-links'],
  consolidation: ['reconcile-entry', 'place-fact', 'describe-document'],
}

export async function moved(world: World, first: string) {
  const dir = await withoutDerived(first, join(world.dir, 'moved'))
  const prompts = await changedPrompts(world, 'topic-loom', 'classify-shift', movedMarker)
  const before = await derive(world, dir, { parts: ['stages'] })
  const after = await derive(world, dir, { parts: ['stages'], prompts: { 'topic-loom': prompts } })
  const [old, now] = [await boundaries(dir, before), await boundaries(dir, after)]
  const boundariesMoved = [...old].filter((each) => !now.has(each)).length / old.size
  return { ...shares(after), boundariesMoved, byTask: after.asks }
}

export async function unmoved(world: World, first: string) {
  const dir = await withoutDerived(first, join(world.dir, 'unmoved'))
  const stages = { parts: ['stages'] as const }
  const prompts = await changedPrompts(world, 'consolidator', 'reconcile-entry', 'be careful')
  const consolidation = await derive(world, dir, { ...stages, prompts: { consolidator: prompts } })
  const sameRevision = await derive(world, dir, stages)
  const raised = await derive(world, dir, { ...stages, raised: ['trace-weaver', 'consolidator'] })
  world.endpoint.reset()
  const settings = { LOOMLOG_EMBEDDER: 'openai:fake-embedder', LOOMLOG_EMBEDDER_DIMENSIONS: '64' }
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

function shares({ asks }: Outcome) {
  const share = (tasks: readonly string[]) => {
    const sum = (of: 'all' | 'paid') => tasks.reduce((total, task) => total + (asks[task]?.[of] ?? 0), 0)
    return sum('paid') / sum('all')
  }
  const { boxes, facts, links, consolidation } = tasksOf
  return { facts: share(facts), links: share(links), consolidation: share(consolidation), boxes: share(boxes) }
}

/** A copy of a stage's prompts, one of them with a sentence more. */
async function changedPrompts(world: World, stage: string, task: string, sentence: string): Promise<string> {
  const from = fileURLToPath(new URL(`../../../services/${stage}/prompts/`, import.meta.url))
  const to = join(world.dir, `${stage}-prompts`)
  await mkdir(to)
  for (const name of await readdir(from)) {
    await cp(join(from, name), join(to, name))
    if (!name.startsWith(`${task}.`)) continue
    await writeFile(join(to, name), `${await readFile(join(from, name), 'utf8')}\nNote: ${sentence}.\n`)
  }
  return to
}
