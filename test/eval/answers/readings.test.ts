import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { contextOf, question } from './fixture.ts'
import {
  importSheets,
  judgePlace,
  readerPlace,
  readRecording,
  unjudgedPairs,
  unreadItems,
  verdictWithoutJudge,
} from './readings.ts'
import { writeSheets } from './sheets.ts'

async function folders(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-readings-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return {
    out: join(dir, 'out'),
    trial: { recorded: join(dir, 'recorded'), conversations: [], messages: [], questions: [] },
  }
}

test('"not there" needs no judge, and is right for a question that no message answers', () => {
  assert.equal(verdictWithoutJudge({ kind: 'never' }, 'Not there.'), 'right')
  assert.equal(verdictWithoutJudge({ kind: 'lookup' }, 'not there'), 'not there')
  assert.equal(verdictWithoutJudge({ kind: 'lookup' }, 'not there but in Graz'), null)
})

test('a text that two memories show for a question is read once, and by each reader', () => {
  const asked = question('q')
  const contexts = [contextOf(asked, 'rules', 'same'), contextOf(asked, 'model', 'same'), contextOf(asked, 'fusion')]
  const recording = { readings: [], judgements: new Map() }
  assert.equal(unreadItems(contexts, recording, 1).length, 2)
  const reading = {
    item: contexts[0]?.item ?? '',
    reader: 1 as const,
    answer: 'x',
    contradicts: false,
    outdated: false,
  }
  assert.equal(unreadItems(contexts, { ...recording, readings: [reading] }, 1).length, 1)
  assert.equal(unreadItems(contexts, { ...recording, readings: [reading] }, 2).length, 2)
})

test('filled sheets of readers and judges are recorded with their origin, and are not asked for again', async (t) => {
  const { out, trial } = await folders(t)
  const contexts = [contextOf(question('q'), 'rules')]
  writeSheets(unreadItems(contexts, readRecording(trial.recorded), 1), readerPlace(out, 1), 1)
  const reader = join(readerPlace(out, 1).folder, 'sheet-01.filled.jsonl')
  await writeFile(reader, '{"n":1,"answer":" In Graz ","outdated":true}\n')
  importSheets(trial, out, 'a language model')
  const recording = readRecording(trial.recorded)
  assert.deepEqual(recording.readings, [
    { item: contexts[0]?.item, reader: 1, answer: 'In Graz', contradicts: false, outdated: true },
  ])
  const pairs = unjudgedPairs(contexts, recording)
  assert.deepEqual(
    pairs.map(({ shown }) => shown),
    [{ question: 'q?', gold: 'gold q', answer: 'In Graz' }],
  )
  writeSheets(pairs, judgePlace(out), 1)
  await writeFile(join(judgePlace(out).folder, 'sheet-01.filled.jsonl'), '{"n":1,"verdict":"wrong"}\n')
  importSheets(trial, out, 'a language model')
  assert.deepEqual(unjudgedPairs(contexts, readRecording(trial.recorded)), [])
  const { origin } = JSON.parse(await readFile(join(trial.recorded, 'trial.json'), 'utf8'))
  assert.deepEqual({ ...origin, day: '' }, { by: 'a language model', day: '', readings: 1, judgements: 1 })
})

test('a filled row without an answer, with a flag in words, or with an unknown verdict is refused', async (t) => {
  const { out, trial } = await folders(t)
  writeSheets([{ id: 'a', group: 'a', shown: {} }], readerPlace(out, 1), 1)
  writeSheets([{ id: 'p', group: 'p', shown: {} }], judgePlace(out), 1)
  const fill = (folder: string, row: object) =>
    writeFile(join(folder, 'sheet-01.filled.jsonl'), JSON.stringify({ n: 1, ...row }))
  const reader = readerPlace(out, 1).folder
  await fill(reader, { answer: ' ' })
  assert.throws(() => importSheets(trial, out, 'x'), /:1 has answer " ": expected a line of text/)
  await fill(reader, { answer: 'x', contradicts: 'no' })
  assert.throws(() => importSheets(trial, out, 'x'), /has contradicts "no": expected true or false/)
  await fill(reader, { answer: 'x' })
  await fill(judgePlace(out).folder, { verdict: 'maybe' })
  assert.throws(() => importSheets(trial, out, 'x'), /has verdict "maybe": expected one of right, wrong, not there/)
})
