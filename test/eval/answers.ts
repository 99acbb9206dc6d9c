/**
 * Answers from the context, by four memories over the same messages in one space: `npm run eval -- answers
 * [derive|contexts|grade]`. `answers/README.md` describes the steps, the sheets and the table. Without a step the table
 * is made again from the recordings, without a model.
 *
 * Options: `--data FOLDER` (a half of the corpus; default test/corpus/judge), `--recorded DIR`, `--dir DIR`, `--json
 * FILE`; with `derive` also `--conversations A,B` or `--count N`; with `derive` and `contexts` `--relay DIR`; with
 * `contexts` and `grade` `--out DIR`; with `grade` `--by READER`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { writeResult } from '../figures/result.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { accountsOf } from './answers/accounts.ts'
import { conclusionsOf } from './answers/conclusions.ts'
import { contextsOf, type QuestionContext } from './answers/contexts.ts'
import { derivations, deriveTrial, folderOf } from './answers/derive.ts'
import { agreementOf, differencesOf, gradeContexts, tableOf } from './answers/grade.ts'
import { writeInstructions } from './answers/instructions.ts'
import {
  importSheets,
  judgePlace,
  readerPlace,
  readers,
  readRecording,
  unjudgedPairs,
  unreadItems,
} from './answers/readings.ts'
import { writeSheets } from './answers/sheets.ts'
import { openTrial, recordChoice, type Trial } from './answers/trial.ts'
import { understandingModel } from './answers/understanding-model.ts'
import { openMemory } from './evidence/memory.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'test/corpus/judge' },
    recorded: { type: 'string' },
    conversations: { type: 'string' },
    count: { type: 'string' },
    dir: { type: 'string' },
    relay: { type: 'string' },
    out: { type: 'string' },
    by: { type: 'string', default: 'a language model' },
    json: { type: 'string' },
  },
})
const steps: { readonly [name: string]: (trial: Trial, dir: string) => Promise<object> } = {
  derive: async (trial, dir) => accounts(trial, dir),
  contexts: async (trial, dir) => sheets(trial, (await understoodContexts(trial, dir)).contexts),
  grade,
  table,
}
const [name = 'table'] = positionals
const step = steps[name]
if (step === undefined)
  throw new LoomlogError('input-invalid', `there is no step ${name}: expected derive, contexts or grade`)
const named = values.conversations?.split(',') ?? (values.count === undefined ? null : Number(values.count))
const trial = openTrial({ data: values.data, recorded: values.recorded ?? null, conversations: named })
if (named !== null) recordChoice(trial)
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-answers-')))
try {
  await deriveTrial(trial, { dir, relay: values.relay ?? null, report: console.log })
  const figures = await step(trial, dir)
  await writeResult(values.json, 'eval -- answers', figures)
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

function outFolder(): string {
  if (values.out) return values.out
  throw new LoomlogError('input-invalid', '--out is missing: expected the folder of the sheets')
}

/** The sizes of the trial, and for each derivation its cost and its conclusions. */
async function accounts({ messages, questions, conversations }: Trial, dir: string) {
  const figures: { [derivation: string]: object } = {}
  for (const derivation of derivations) {
    const memory = await openMemory(folderOf(dir, derivation))
    const events = await memory.derivedEvents()
    await memory.close()
    const cost = accountsOf(await recordedAnswers(folderOf(dir, derivation)), messages.length)
    if (derivation === 'model') console.table(cost.perUtterance)
    const { endings, roles, ...counts } = conclusionsOf(events, conversations)
    console.log(derivation, JSON.stringify({ ...counts, endings, roles }))
    figures[derivation] = { ...cost, ...counts, endings, roles }
  }
  const sizes = { conversations: conversations.length, messages: messages.length, questions: questions.length }
  return { ...sizes, ...figures }
}

async function recordedAnswers(dir: string): Promise<readonly AnswerRecorded[]> {
  const { code, stdout, stderr } = await loomlog(['tail', 'completions', '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { readonly event: AnswerRecorded }).event)
}

async function understoodContexts(trial: Trial, dir: string) {
  const { model, cost } = await understandingModel(trial, values.relay ?? null)
  return { contexts: await contextsOf(trial, dir, model), understanding: cost }
}

function sheets({ recorded }: Trial, contexts: readonly QuestionContext[]) {
  const recording = readRecording(recorded)
  const out = outFolder()
  writeInstructions(out)
  const items = new Set(contexts.map(({ item }) => item)).size
  const written = readers.map((reader) =>
    writeSheets(unreadItems(contexts, recording, reader), readerPlace(out, reader), reader),
  )
  console.log(`${contexts.length} contexts, ${items} of them different; new sheets: ${written.join(' and ')}`)
  return { contexts: contexts.length, items, sheets: written }
}

async function grade(trial: Trial, dir: string) {
  const out = outFolder()
  importSheets(trial, out, values.by)
  const { contexts, understanding } = await understoodContexts(trial, dir)
  const pairs = unjudgedPairs(contexts, readRecording(trial.recorded))
  const written = writeSheets(pairs, judgePlace(out), 1)
  console.log(`${pairs.length} answers have no verdict; new sheets for the judge: ${written}`)
  return { ...tableFrom(trial, contexts), understanding, ...(await accounts(trial, dir)) }
}

async function table(trial: Trial, dir: string) {
  const { contexts, understanding } = await understoodContexts(trial, dir)
  return { ...tableFrom(trial, contexts), understanding, ...(await accounts(trial, dir)) }
}

function tableFrom({ recorded }: Trial, contexts: readonly QuestionContext[]) {
  const recording = readRecording(recorded)
  const graded = gradeContexts(contexts, recording)
  const answers = tableOf(graded)
  const rows = Object.entries(answers).flatMap(([memory, byBudget]) =>
    Object.entries(byBudget).map(([budget, { all }]) => [`${memory}, ${budget}`, all] as const),
  )
  console.table(Object.fromEntries(rows))
  const differences = differencesOf(graded)
  console.table(differences)
  const items = new Set(contexts.map(({ item }) => item)).size
  const read = readers.map((reader) => items - unreadItems(contexts, recording, reader).length)
  console.log(`read by the readers: ${read.join(' and ')} of ${items} contexts`)
  const agreement = { items, read, ...agreementOf(graded) }
  console.log(JSON.stringify(agreement))
  return { answers, differences, agreement }
}
