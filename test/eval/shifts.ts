/**
 * Learns Topic Loom's shift score (`test/learn/shifts`), and measures it and the boxes. It is learned from labelled
 * chit-chat (TIAGE), the English conversations of the corpus (`learn`), and half of the domains of task dialogues. One
 * set of weights and one threshold are used for all. Held out are TIAGE's anno_dev, the corpus' `judge`, the other task
 * domains, and LoCoMo.
 *
 * npm run eval -- shifts --tiage DIR --data locomo5.json [--seed N] [--json FILE] [--write]
 *
 * `--write` writes services/topic-loom/shift-weights.ts, shift-phrases.json and vector-bias.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readFormat } from '@loomlog/intake/formats'
import { toInt8 } from '@loomlog/models/quantize'
import { wordEmbedder } from '@loomlog/models/words'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { writeResult } from '../figures/result.ts'
import {
  type Conversation,
  type Join,
  joinDialogues,
  labelledConversation,
  readTasks,
} from '../learn/shifts/conversations.ts'
import { learnShifts } from '../learn/shifts/learn-shifts.ts'
import { logitsOf, type Subject } from '../learn/shifts/regressions.ts'
import { writeWeights } from '../learn/shifts/weights-file.ts'
import { seededRandom } from '../seeded-random.ts'
import { agreement, auc, bestThreshold, rounded } from './agreement.ts'
import { readCorpus } from './corpus/conversation.ts'
import { type Dialogue, readTiage, sessionsOf } from './dialogues.ts'
import { mean } from './mean.ts'
import { boxFigures } from './shifts/boxes.ts'

const { values } = parseArgs({
  options: {
    tiage: { type: 'string' },
    data: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
if (!values.tiage || !values.data) throw new Error('--tiage DIR and --data FILE are needed')
const random = seededRandom(Number(values.seed))

const train = readTiage(join(values.tiage, 'anno_train.json'))
const dev = readTiage(join(values.tiage, 'anno_dev.json'))
const tasks = readTasks()
const locomo = readFormat('locomo', {
  file: values.data,
  text: readFileSync(values.data, 'utf8'),
  place: { tenant: 'eval', space: 'locomo' },
  appendedAt: 0,
})
  .filter((event) => event.type !== 'SpacePaused')
  .map((event, seq) => ({ ...event, seq }))
const sessions = sessionsOf(locomo)
const [learnThreads, judgeThreads] = [corpusThreads('learn'), corpusThreads('judge')]
const spaces = [...new Set(sessions.map((session) => session.group))]
const vectors = await embedAll(
  [...train, ...dev, ...sessions, ...tasks.toLearn, ...tasks.heldOut, ...learnThreads, ...judgeThreads].flatMap(
    (dialogue) => dialogue.texts,
  ),
)

const learned = learnShifts({ chitChat: train, threads: learnThreads, tasks: tasks.toLearn, vectorOf, random })
const { weights, subjectOf } = learned

const joins = (dialogues: readonly Dialogue[], join: Join, count: number, rounds: number) =>
  joinDialogues(dialogues, join, { count, rounds, random })
const ofSpaces = (join: Join) =>
  spaces.flatMap((space) => {
    const own = sessions.filter(({ group }) => group === space)
    return joins(own, join, 5, 2)
  })

const heldOut: readonly { readonly on: string; readonly conversations: readonly Conversation[] }[] = [
  { on: 'TIAGE dev, as labelled', conversations: dev.map(labelledConversation) },
  { on: 'task dialogues joined, whole', conversations: joins(tasks.heldOut, 'whole', 6, 8) },
  { on: 'task dialogues joined, stretches', conversations: joins(tasks.heldOut, 'stretches', 6, 8) },
  { on: 'TIAGE dev joined, whole', conversations: joins(dev, 'whole', 6, 2) },
  { on: 'corpus judge, as labelled', conversations: judgeThreads.map(labelledConversation) },
  { on: 'LoCoMo sessions joined, whole', conversations: ofSpaces('whole') },
  { on: 'LoCoMo sessions joined, stretches', conversations: ofSpaces('stretches') },
]
const defaults = topicLoom.parameters
const threshold = logit(defaults.shiftScore)
const measured = heldOut.map(({ on, conversations }) => ({ on, subjects: conversations.map(subjectOf) }))
const agreementTable = measured.map(({ on, subjects }) => {
  const gaps = gapsOf(subjects)
  const own = bestThreshold(gaps, ({ score }) => score)
  return {
    on,
    shifts: rounded(gaps.filter(({ isShift }) => isShift).length / gaps.length),
    'AUC score': rounded(auc(gaps, ({ score }) => score)),
    'AUC cosine': rounded(auc(gaps, ({ toLast }) => -toLast)),
    ...cutAt(subjects, threshold),
    'F1 at its own best threshold': cutAt(subjects, own).F1,
  }
})
console.table(agreementTable)
const segmentations = [
  { method: 'cosine alone, best threshold of train', ...byCosine() },
  ...[4, 5].map((size) => ({ method: `every ${size}th`, ...segmentationAgreement((i) => i % size === 0) })),
  { method: 'random, one in five', ...segmentationAgreement(() => random() < 0.2) },
]
console.table(segmentations)
const calibrationTable = calibration()
console.table(calibrationTable)
const cascadeTable = measured.slice(0, 3).map(({ on, subjects }) => ({ on, ...cascadeFigures(subjects) }))
console.table(cascadeTable)

/** LoCoMo's sessions by themselves have no labels. */
const alone = sessions.map(labelledConversation).map((session) => logitsOf(weights, subjectOf(session)))
const sizeTable = [0.2, 0.25, 0.3, 0.35].map((score) => ({
  score,
  'lines a box': rounded(
    mean(alone.map((scores) => scores.length + 1)) /
      mean(alone.map((scores) => 1 + scores.filter((each) => each >= logit(score)).length)),
  ),
  'in .2 to .55': rounded(
    alone.flat().filter((each) => each > logit(0.2) && each < logit(0.55)).length / alone.flat().length,
  ),
}))
console.table(sizeTable)

if (values.write) {
  writeWeights(learned, values.seed)
  console.log(
    'the weights are written; the boxes below are still cut with the weights before: run again without --write',
  )
}
const settings = [defaults, { ...defaults, shiftScore: 0.25 }, { ...defaults, shiftScore: 0.35 }]
const boxTable = []
for (const parameters of settings) boxTable.push(await boxFigures(parameters, { locomo, dev, vectorOf }))
console.table(boxTable.map(({ sizes: _, cuts: __, ...row }) => row))
console.log('box sizes on LoCoMo with the defaults', boxTable[0]?.sizes, boxTable[0]?.cuts)
if (values.json)
  await writeResult(values.json, 'eval -- shifts', {
    agreementTable,
    segmentations,
    calibrationTable,
    cascadeTable,
    boxTable,
  })

/** The English threads of a half of the corpus, with the marks of a reader where a topic begins. */
function corpusThreads(half: 'learn' | 'judge'): readonly Dialogue[] {
  const folder = fileURLToPath(new URL(`../corpus/${half}/`, import.meta.url))
  return readCorpus(folder)
    .filter(({ language }) => language === 'en')
    .flatMap(({ name, messages }) =>
      [...Map.groupBy(messages, ({ conversation }) => conversation).values()].map((lines) => ({
        group: name,
        texts: lines.map(({ text }) => text),
        shifts: lines.map(({ opens }) => opens !== ''),
      })),
    )
    .filter(({ texts }) => texts.length > 1)
}

async function embedAll(texts: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const each = [...new Set(texts)]
  const found = await wordEmbedder().embed(each)
  return new Map(each.map((text, i) => [text, [...toInt8(found[i] ?? [])]]))
}

function vectorOf(text: string): readonly number[] {
  const vector = vectors.get(text)
  if (!vector) throw new Error(`not embedded: ${text.slice(0, 60)}`)
  return vector
}

function gapsOf(subjects: readonly Subject[]) {
  return subjects.flatMap((one) =>
    logitsOf(weights, one).map((score, i) => ({
      score,
      toLast: one.readings[i + 1]?.near[0] ?? 0,
      isShift: one.truth[i + 1] === true,
    })),
  )
}

function cutAt(subjects: readonly Subject[], least: number) {
  return agreement(
    subjects.map(({ truth }) => truth.map((isShift) => isShift === true)),
    subjects.map((one) => [false, ...logitsOf(weights, one).map((score) => score >= least)]),
  )
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}

function byCosine() {
  const gaps = gapsOf(learned.labelled)
  const least = bestThreshold(gaps, ({ toLast }) => -toLast)
  const near = measured[0]?.subjects.map(({ readings }) => readings.map((reading) => reading.near[0] ?? 1)) ?? []
  return agreement(
    dev.map(({ shifts }) => shifts),
    near.map((values) => values.map((value) => -value >= least)),
  )
}

/** @param isCut called for each line except a dialogue's first, with its index */
function segmentationAgreement(isCut: (index: number) => boolean) {
  const truths = dev.map(({ shifts }) => shifts)
  return agreement(
    truths,
    truths.map((shifts) => shifts.map((_, i) => i > 0 && isCut(i))),
  )
}

/** By range of the score: the share of shifts among the gaps, on TIAGE dev and on the joined task dialogues. */
function calibration() {
  const [labelled = [], task = []] = measured.map(({ subjects }) => gapsOf(subjects))
  const edges = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1]
  return edges.slice(1).map((to, i) => {
    const from = edges[i] ?? 0
    const within = (gaps: typeof labelled) => gaps.filter(({ score }) => score >= logit(from) && score < logit(to))
    const share = (gaps: typeof labelled) =>
      rounded(within(gaps).filter(({ isShift }) => isShift).length / within(gaps).length)
    const part = (gaps: typeof labelled) => rounded(within(gaps).length / gaps.length)
    return {
      score: `${from} to ${to}`,
      TIAGE: share(labelled),
      'of its gaps': part(labelled),
      tasks: share(task),
      'of their gaps': part(task),
    }
  })
}

/**
 * The cascade with a model that answers as the annotators did: the share of lines that it is asked about, and the
 * agreement with asking it about every line.
 */
function cascadeFigures(subjects: readonly Subject[]) {
  const { askAbove, askBelow, leastAsked } = defaults
  const truths = subjects.map(({ truth }) => truth.map((isShift) => isShift === true))
  const asked = subjects.map((one) => {
    const unclear = logitsOf(weights, one).map((score) => score > logit(askAbove) && score < logit(askBelow))
    return unclear.filter(Boolean).length < leastAsked ? unclear.map(() => false) : unclear
  })
  const cuts = subjects.map((one, i) =>
    [false, ...logitsOf(weights, one).map((score) => score >= threshold)].map((isCut, line) =>
      asked[i]?.[line - 1] ? (truths[i]?.[line] ?? false) : isCut,
    ),
  )
  const lines = truths.flat().length
  const equal = truths.flatMap((truth, i) => truth.filter((isShift, line) => isShift === cuts[i]?.[line])).length
  const { F1, Pk } = agreement(truths, cuts)
  return {
    'lines asked about': rounded(asked.flat().filter(Boolean).length / lines),
    agree: rounded(equal / lines),
    F1,
    Pk,
  }
}
