/**
 * Trains Topic Loom's shift score, and measures it and its boxes. The training data is TIAGE's labelled dialogues and dialogues joined end to
 * end, with a known boundary, because weights from chit-chat alone don't generalise. TIAGE's anno_dev and, for joined sessions, the measured
 * conversation are held out.
 *
 *   npx node test/eval/shifts.ts --tiage DIR --data locomo5.json [--seed N] [--json FILE] [--vectors FILE] [--write]
 *
 * `--vectors` keeps the embeddings between runs; `--write` writes services/topic-loom/shift-weights.ts.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readFormat } from '@loomlog/intake/formats'
import { toInt8 } from '@loomlog/models/quantize'
import { useLite } from '@loomlog/models/use-lite'
import { harness } from '@loomlog/runtime/harness'
import type { BoxSealed } from '@loomlog/schemas/events'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { featureNames, shiftFeatures } from '@loomlog/topic-loom/shift-score'
import { writeResult } from '../figures/result.ts'
import { seeded } from '../seeded.ts'
import { agreement, auc, bestThreshold, mean, rounded } from './agreement.ts'
import { asConversation, type Dialogue, type Incoming, readTiage, sessionsOf } from './dialogues.ts'
import { dot, fit } from './logistic.ts'

interface Example {
  readonly group: string
  readonly features: readonly number[]
  readonly nearness: number
  readonly isShift: boolean
}
type Weighted = Example & { readonly weight: number }

const { values } = parseArgs({
  options: {
    tiage: { type: 'string' },
    data: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    vectors: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
if (!values.tiage || !values.data) throw new Error('--tiage DIR and --data FILE are needed')
const random = seeded(Number(values.seed))

const train = readTiage(join(values.tiage, 'anno_train.json'))
const dev = readTiage(join(values.tiage, 'anno_dev.json'))
const locomo = readFormat('locomo', {
  file: values.data,
  text: readFileSync(values.data, 'utf8'),
  place: { tenant: 'eval', space: 'locomo' },
  appendedAt: 0,
}).map((event, seq) => ({ ...event, seq }))
const sessions = sessionsOf(locomo)
const conversations = [...new Set(sessions.map((session) => session.group))]
const vectors = await embedded([...train, ...dev, ...sessions].flatMap((dialogue) => dialogue.texts))

const truths = dev.map(({ shifts }) => shifts)
const labelled = labelledExamples(train)
const devLabelled = labelledExamples(dev)
/** Whole dialogues meet with greetings and goodbyes; stretches from their middles differ in subject only. */
const joined = { whole: joins(train, 'whole', 2), stretches: joins(train, 'stretches', 3) }
const devJoined = { whole: joins(dev, 'whole', 10), stretches: joins(dev, 'stretches', 10) }
const joinedSessions = {
  whole: byConversation((own) => joins(own, 'whole', 10)),
  stretches: byConversation((own) => joins(own, 'stretches', 10)),
}

const weights = trained(() => true)
const heldOut = new Map(conversations.map((name) => [name, trained((example) => example.group !== name)]))
const score = (example: Example) => dot(weights, example.features)
const heldOutScore = (example: Example) => dot(heldOut.get(example.group) ?? [], example.features)
const cosine = (example: Example) => -example.nearness
const chitChat = fit(weighted(labelled, 1))
const chitChatScore = (example: Example) => dot(chitChat, example.features)

const byScore = { dev: score, heldOut: heldOutScore }
const byCosine = { dev: cosine, heldOut: cosine }
const byChitChat = { dev: chitChatScore, heldOut: chitChatScore }
const areaTable = [
  { on: 'TIAGE dev, as labelled', ...areas((by) => auc(devLabelled, by.dev)) },
  { on: 'TIAGE dev joined, whole', ...areas((by) => auc(devJoined.whole, by.dev)) },
  { on: 'TIAGE dev joined, stretches', ...areas((by) => auc(devJoined.stretches, by.dev)) },
  { on: 'LoCoMo joined, whole', ...areas((by) => meanArea(joinedSessions.whole, by.heldOut)) },
  { on: 'LoCoMo joined, stretches', ...areas((by) => meanArea(joinedSessions.stretches, by.heldOut)) },
]
console.table(areaTable)

const segmentations = [
  { method: 'score, best threshold of train', ...segmented(cutAbove(score, bestThreshold(labelled, score))) },
  { method: 'cosine alone, best threshold of train', ...segmented(cutAbove(cosine, bestThreshold(labelled, cosine))) },
  ...[4, 5].map((size) => ({ method: `every ${size}th`, ...segmented((_, index) => index % size === 0) })),
  { method: 'random, one in five', ...segmented(() => random() < 0.2) },
]
console.table(segmentations)

if (values.write) {
  writeWeights()
  console.log('written; the boxes below are still cut with the weights before: run again without --write')
}
const defaults = topicLoom.parameters
const settings = [
  defaults,
  { ...defaults, partialScore: 0.2 },
  { ...defaults, partialScore: 0.3 },
  { ...defaults, minUtterancesOnPartial: 3 },
  { ...defaults, shiftScore: 0.4 },
  { ...defaults, shiftScore: 0.6 },
  { ...defaults, maxUtterances: 10 },
]
const boxTable = []
for (const parameters of settings) boxTable.push(await boxed(parameters))
console.table(boxTable.map(({ sizes: _, cuts: __, ...row }) => row))
console.log('box sizes on LoCoMo with the defaults', boxTable[0]?.sizes, boxTable[0]?.cuts)
if (values.json) {
  const weightsByName = Object.fromEntries(featureNames.map((name, i) => [name, weights[i]]))
  await writeResult(values.json, 'eval -- shifts', { areaTable, segmentations, boxTable, weightsByName })
}

async function embedded(texts: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const file = values.vectors
  if (file && existsSync(file)) return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, number[]][])
  const distinct = [...new Set(texts)]
  const embedder = useLite({ threads: 2 })
  const found = await embedder.embed(distinct)
  await embedder.close()
  const all = new Map(distinct.map((text, i) => [text, [...toInt8(found[i] ?? [])]]))
  if (file) writeFileSync(file, JSON.stringify([...all]))
  return all
}

function vectorOf(text: string): readonly number[] {
  const vector = vectors.get(text)
  if (!vector) throw new Error(`not embedded: ${text.slice(0, 60)}`)
  return vector
}

function example(group: string, window: readonly string[], next: string, isShift: boolean): Example {
  const line = (text: string) => ({ speaker: '', text })
  const around = [...window, next].map(vectorOf)
  const features = shiftFeatures({ window: window.map(line), next: line(next) }, around)
  return { group, features, nearness: features[featureNames.indexOf('nearnessToLast')] ?? 0, isShift }
}

function labelledExamples(dialogues: readonly Dialogue[]): Example[] {
  return dialogues.flatMap(({ group, texts, shifts }) =>
    texts
      .slice(1)
      .map((next, i) => example(group, texts.slice(Math.max(0, i - 1), i + 1), next, shifts[i + 1] ?? false)),
  )
}

/**
 * Joins each dialogue, in random order, to the next one. The message after the boundary is a shift; the one after that, and all unlabelled
 * messages inside, are none.
 */
function joins(dialogues: readonly Dialogue[], kind: 'whole' | 'stretches', rounds: number): Example[] {
  const found = labelledExamples(dialogues).filter((inside) => !inside.isShift)
  for (let round = 0; round < rounds; round++) {
    const order = shuffled(dialogues)
    for (const [i, one] of order.entries()) {
      const other = order[(i + 1) % order.length] ?? one
      const end = kind === 'whole' ? one.texts.length : 2 + Math.floor(random() * (one.texts.length - 2))
      const start = kind === 'whole' ? 0 : 1 + Math.floor(random() * (other.texts.length - 2))
      const [first = '', second = ''] = other.texts.slice(start, start + 2)
      const before = one.texts.slice(end - 2, end)
      found.push(example(one.group, before, first, true))
      if (!other.shifts[start + 1]) found.push(example(one.group, [...before.slice(-1), first], second, false))
    }
  }
  return found
}

function byConversation(make: (own: readonly Dialogue[]) => Example[]): Example[] {
  return conversations.flatMap((name) => make(sessions.filter((session) => session.group === name)))
}

/** People's labels count most; joined dialogues keep the weights from fitting only chit-chat. */
function trained(counts: (example: Example) => boolean): number[] {
  return fit([
    ...weighted(labelled, 1),
    ...weighted(joined.whole, 0.1),
    ...weighted(joined.stretches, 0.2),
    ...weighted(joinedSessions.whole.filter(counts), 0.1),
    ...weighted(joinedSessions.stretches.filter(counts), 0.3),
  ])
}

/** Reweights each set to one shift in five, TIAGE's share, so that the score is a probability at that rate. */
function weighted(examples: readonly Example[], total: number): Weighted[] {
  const shifts = examples.filter((one) => one.isShift).length
  const [each, other] = [(0.2 * total) / shifts, (0.8 * total) / (examples.length - shifts)]
  return examples.map((one) => ({ ...one, weight: one.isShift ? each : other }))
}

/** AUC of the score and of its baselines. */
function areas(area: (by: typeof byScore) => number) {
  return {
    'AUC score': rounded(area(byScore)),
    'cosine alone': rounded(area(byCosine)),
    'trained on TIAGE alone': rounded(area(byChitChat)),
  }
}

function meanArea(examples: readonly Example[], scoreOf: (example: Example) => number): number {
  const areas = conversations.map((name) =>
    auc(
      examples.filter((one) => one.group === name),
      scoreOf,
    ),
  )
  return mean(areas)
}

function cutAbove(scoreOf: (example: Example) => number, threshold: number) {
  return (one: Example) => scoreOf(one) >= threshold
}

/** @param isCut called for each utterance except a dialogue's first, with its index */
function segmented(isCut: (example: Example, index: number) => boolean) {
  let at = 0
  return agreement(
    truths,
    dev.map(({ shifts }) => shifts.map((_, i) => (i === 0 ? false : isCut(devLabelled[at++] as Example, i)))),
  )
}

/** The boxes that the stage makes of LoCoMo's sessions and of TIAGE dev. */
async function boxed(parameters: typeof topicLoom.parameters) {
  const boxes = await boxesOf(locomo, parameters)
  const sizes = boxes.map((box) => box.utterances.length)
  const dialogues = await boxesOf(dev.flatMap(asConversation), parameters)
  const cuts = dev.map(({ group, texts }) => {
    const firsts = new Set(dialogues.filter((box) => box.conversation === group).map((box) => box.utterances[0]?.id))
    return texts.map((_, i) => i > 0 && firsts.has(String(i)))
  })
  const { shiftScore, partialScore, minUtterancesOnPartial, maxUtterances } = parameters
  return {
    shiftScore,
    partialScore,
    minUtterancesOnPartial,
    maxUtterances,
    'LoCoMo mean size': rounded(mean(sizes)),
    'singles %': rounded((100 * sizes.filter((size) => size === 1).length) / sizes.length),
    ...agreement(truths, cuts),
    sizes: tally(sizes.toSorted((a, b) => a - b)),
    cuts: tally(boxes.map((box) => box.cut)),
  }
}

async function boxesOf(events: readonly Incoming[], parameters: typeof topicLoom.parameters): Promise<BoxSealed[]> {
  const { give } = harness(topicLoom, {
    parameters,
    answers: { 'describe-box': () => ({ topic: 'any', keywords: [] }) },
    embedding: vectorOf,
  })
  return (await give(...events)).filter((event) => event.type === 'BoxSealed')
}

function writeWeights(): void {
  const file = new URL('../../services/topic-loom/shift-weights.ts', import.meta.url)
  const rows = featureNames.map((name, i) => `  ${name}: ${rounded(weights[i] ?? 0)},`)
  const command = `npx node test/eval/shifts.ts --tiage DIR --data locomo5.json --seed ${values.seed} --write`
  writeFileSync(
    file,
    `/**
 * The weights of the shift score, in the space of use-lite-512. Generated by
 * \`${command}\`;
 * do not edit.
 */
export const shiftWeights = {
${rows.join('\n')}
}
`,
  )
}

function tally(found: readonly (string | number)[]): { readonly [value: string]: number } {
  return Object.fromEntries([...Map.groupBy(found, (value) => value)].map(([value, all]) => [value, all.length]))
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
