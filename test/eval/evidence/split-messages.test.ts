/** A message that the ingest splits into parts counts as one, in the evidence and in every method. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { beam } from '../beam/benchmark.ts'
import { locomo } from '../locomo/benchmark.ts'
import type { Benchmark } from './benchmark.ts'
import { figuresOf, searchAll, weightsFor } from './evaluation.ts'

/** More than 65,536 bytes, in two parts: the answer is in the last one. */
const long = `${'The ferry left on time and nobody was late that day. '.repeat(1_300)}Maya painted the canoe red.`
const question = 'What colour did Maya paint the canoe?'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'loomlog-split-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

async function beamFolder(t: TestContext): Promise<string> {
  const data = await folder(t)
  await mkdir(join(data, '1'))
  const message = (id: number, content: string) => ({ id, role: 'user', content, time_anchor: 'March-15-2024' })
  const turns = [[message(0, 'I had soup.'), message(1, long), message(2, 'Then I slept.')]]
  await writeFile(join(data, '1', 'chat.json'), JSON.stringify([{ batch_number: 1, turns }]))
  const asked = [{ question, answer: 'red', source_chat_ids: [1] }]
  await writeFile(join(data, '1', 'probing_questions.json'), JSON.stringify({ information_extraction: asked }))
  return data
}

async function locomoFile(t: TestContext): Promise<string> {
  const file = join(await folder(t), 'locomo.json')
  const turn = (n: number, text: string) => ({ dia_id: `D1:${n}`, speaker: 'Ann', text })
  const conversation = {
    speaker_a: 'Ann',
    speaker_b: 'Bob',
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [turn(1, 'I had soup.'), turn(2, long), turn(3, 'Then I slept.')],
  }
  const qa = [{ question, answer: 'red', evidence: ['D1:2'], category: 4 }]
  await writeFile(file, JSON.stringify([{ sample_id: 's', qa, conversation }]))
  return file
}

interface Figures {
  readonly evidence: object
  readonly methods: { readonly [name: string]: { readonly recallAtK: { readonly [group: string]: object } } }
}

for (const [benchmark, dataOf] of [
  [beam, beamFolder],
  [locomo, locomoFile],
] satisfies (readonly [Benchmark, (t: TestContext) => Promise<string>])[]) {
  test(`a message that is split counts as one in ${benchmark.name}`, async (t) => {
    const searched = await searchAll(benchmark, await dataOf(t), await folder(t))
    const [{ featured, outputs } = assert.fail('no question')] = searched.questions
    const ids = featured.candidates.map(({ memory }) => memory.id)
    assert.ok(ids.filter((id) => id.includes('#')).length > 1, `no part is among the candidates ${ids}`)
    const figures = figuresOf(searched, await weightsFor(searched, [], 'shipped')) as Figures
    assert.deepEqual(figures.evidence, { amongCandidates: 1, turns: 1 })
    const group = benchmark.groups.at(-1) ?? ''
    for (const name of ['loomlog', 'loomlog, packed whole'])
      assert.partialDeepStrictEqual(figures.methods[name]?.recallAtK[group], { 10: 1 }, name)
    for (const { turns } of outputs.get('loomlog')?.ranked ?? []) assert.doesNotMatch(turns.join(), /#/)
  })
}
