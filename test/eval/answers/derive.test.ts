import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { fakeModelAnswer } from '../../pipeline/fake-model.ts'
import type { ChatRequest } from './answer-store.ts'
import { contextsOf } from './contexts.ts'
import { deriveTrial } from './derive.ts'
import { openTrial } from './trial.ts'
import { understandingModel } from './understanding-model.ts'

const pollMs = 50

const analysis: Json = {
  requires: [],
  queries: [],
  keywords: ['brewery', 'malt', 'delivery'],
  persons: [],
  entities: [],
  time: null,
  location: null,
}

/** Answers every request of the folder until the signal aborts. */
async function answerAll(folder: string, signal: AbortSignal): Promise<void> {
  const answered = new Set<string>()
  while (!signal.aborted) {
    const files = await readdir(folder).catch(() => [])
    for (const file of files.filter((each) => each.endsWith('.req.json') && !answered.has(each))) {
      answered.add(file)
      const { messages, response_format } = JSON.parse(await readFile(join(folder, file), 'utf8')) as ChatRequest
      const input = JSON.parse(messages.find(({ role }) => role === 'user')?.content ?? '') as Json
      const asked = { model: '', prompt: '', schema: null, attempt: 1, body: null }
      const schemaName = response_format?.json_schema?.name ?? null
      const answer = schemaName === 'understanding' ? analysis : fakeModelAnswer({ ...asked, input, schemaName })
      await writeFile(join(folder, file.replace('.req.json', '.ans.txt')), canonicalJson(answer))
    }
    await sleep(pollMs)
  }
}

test('a memory that was derived through a relay folder is derived again from the recording, with the same contexts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-trial-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const data = join(import.meta.dirname, '../../corpus/learn')
  const { questions, ...rest } = openTrial({
    data,
    recorded: join(folder, 'recorded'),
    conversations: ['brew-sales'],
  })
  const trial = { ...rest, questions: questions.slice(0, 2) }
  const relay = join(folder, 'relay')
  const done = new AbortController()
  const answering = answerAll(relay, done.signal)
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  await deriveTrial(trial, { dir: join(folder, 'first'), relay, report })
  const asked = await understandingModel(trial, relay)
  done.abort()
  await answering
  await deriveTrial(trial, { dir: join(folder, 'second'), relay: null, report })
  assert.match(
    lines.at(-1) ?? '',
    /^model: 96 messages are derived; (\d+) requests asked, \1 answered from the recording, 0 /,
  )
  const replayed = await understandingModel(trial, null)
  assert.deepEqual([replayed.cost, replayed.cost.questions], [asked.cost, 2])
  const [first, second] = [
    await contextsOf(trial, join(folder, 'first'), asked.model),
    await contextsOf(trial, join(folder, 'second'), replayed.model),
  ]
  assert.deepEqual(second, first)
  assert.equal(first.length, 24)
  const texts = (name: string) => first.filter(({ memory }) => memory === name).map(({ context }) => context)
  assert.notDeepEqual(texts('model'), texts('rules'))
  assert.notDeepEqual(texts('understood'), texts('model'))
  assert.notDeepEqual(texts('rules'), texts('fusion'))
})
