/** The boxes of the stage itself, run by the harness: on LoCoMo's sessions, and on labelled dialogues. */
import { harness } from '@loomlog/runtime/harness'
import type { BoxSealed } from '@loomlog/schemas/events'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { agreement, rounded } from '../agreement.ts'
import { asConversation, type Dialogue, type Incoming } from '../dialogues.ts'
import { mean } from '../mean.ts'

type Parameters = typeof topicLoom.parameters

interface Material {
  readonly locomo: readonly Incoming[]
  readonly dev: readonly Dialogue[]
  vectorOf(text: string): readonly number[]
}

/** The boxes that the stage makes of LoCoMo's sessions and of TIAGE dev. */
export async function boxFigures(parameters: Parameters, { locomo, dev, vectorOf }: Material) {
  const boxes = await boxesOf(locomo, parameters, vectorOf)
  const sizes = boxes.map((box) => box.utterances.length)
  const dialogues = await boxesOf(dev.flatMap(asConversation), parameters, vectorOf)
  const cuts = dev.map(({ group, texts }) => {
    const firsts = new Set(dialogues.filter((box) => box.conversation === group).map((box) => box.utterances[0]?.id))
    return texts.map((_, i) => i > 0 && firsts.has(String(i)))
  })
  const { shiftScore, maxUtterances } = parameters
  return {
    shiftScore,
    maxUtterances,
    'LoCoMo mean size': rounded(mean(sizes)),
    'singles %': rounded((100 * sizes.filter((size) => size === 1).length) / sizes.length),
    ...agreement(
      dev.map(({ shifts }) => shifts),
      cuts,
    ),
    sizes: tally(sizes.toSorted((a, b) => a - b)),
    cuts: tally(boxes.map((box) => box.cut)),
  }
}

async function boxesOf(
  events: readonly Incoming[],
  parameters: Parameters,
  vectorOf: Material['vectorOf'],
): Promise<BoxSealed[]> {
  const { give } = harness(topicLoom, {
    parameters,
    embedding: vectorOf,
  })
  return (await give(...events)).filter((event) => event.type === 'BoxSealed')
}

function tally(found: readonly (string | number)[]): { readonly [value: string]: number } {
  return Object.fromEntries([...Map.groupBy(found, (value) => value)].map(([value, all]) => [value, all.length]))
}
