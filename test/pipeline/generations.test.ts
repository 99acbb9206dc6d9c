/**
 * Generations, by command: a changed prompt is derived beside the live memory while utterances arrive, promoted and
 * rolled back. A fake endpoint counts the calls.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findGeneration } from '@loomlog/generations/generation-names'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { generationProgress } from '../../packages/app/progress.ts'
import { eventually } from '../eventually.ts'
import { type Fixture, fixture, ingestArgs } from './fixture.ts'
import { loomlog, startProgram } from './loomlog.ts'

type Row = { readonly id: string; readonly status: string; readonly liveFor: readonly string[] }

async function ran<T>(made: Fixture, args: readonly string[], environment = made.environment): Promise<T> {
  const run = await loomlog([...args, '--json', '--dir', join(made.dir, 'log')], environment)
  assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`)
  return JSON.parse(run.stdout) as T
}

async function assertCommandRefused(made: Fixture, args: readonly string[], code: number, says: RegExp): Promise<void> {
  const run = await loomlog([...args, '--dir', join(made.dir, 'log')], made.environment)
  assert.match(run.stderr, says)
  assert.equal(run.code, code, run.stderr)
}

/** Appends an utterance without running a stage. */
async function appendOnly(made: Fixture, text: string): Promise<void> {
  const host = await openHost(configFrom({ ...made.environment, LOOMLOG_DIR: join(made.dir, 'log') }))
  try {
    const line = { conversation: 'another', speaker: 'Ada', at: new Date().toISOString(), text }
    await appendOnce([utteranceFrom(line, { tenant: 'default', space: 'default' }, Date.now())], {
      ...host,
      dir: host.config.dir,
    })
  } finally {
    await host.close()
  }
}

async function promptFile(made: Fixture): Promise<string> {
  const file = join(made.dir, 'extract-facts.v4.md')
  await writeFile(file, 'List the facts in rows: labels, kind, time, subject | rest.')
  return file
}

async function up(t: TestContext, made: Fixture, environment = made.environment): Promise<string> {
  const { process, finished } = startProgram(
    ['up', '--port', '0', '--json', '--dir', join(made.dir, 'log')],
    environment,
  )
  t.after(() => process.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    process.stdout?.on('data', (data) => resolve((JSON.parse(String(data)) as { url: string }).url))
    void finished.then(({ stderr }) => reject(new Error(stderr)))
  })
}

interface RecallReply {
  readonly generation: string
  readonly epoch: number
  readonly memories: readonly { readonly kind: string; readonly method: string | null }[]
}

/** Recalls continuously, and keeps every reply. */
function reader(url: string, tenant: string) {
  const answers: RecallReply[] = []
  const errors: string[] = []
  let isOver = false
  const work = (async () => {
    while (!isOver) {
      const headers = { 'x-loomlog-tenant': tenant }
      const reply = await fetch(`${url}/v1/spaces/default/recall?query=engine+of+the+boat`, { headers })
      if (reply.ok) answers.push((await reply.json()) as RecallReply)
      else errors.push(await reply.text())
      await sleep(100)
    }
  })()
  return {
    answers,
    errors,
    async until(generation: string, epoch = 0): Promise<void> {
      for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
        if (answers.some((answer) => answer.generation === generation && answer.epoch >= epoch)) return
      }
      throw new Error(`${tenant} is not answered by ${generation}`)
    },
    async end() {
      isOver = true
      await work
    },
  }
}

/** Polls in this process, because a command for each poll would take too much CPU from the work. */
async function caughtUp(made: Fixture, name: string): Promise<void> {
  const host = await openHost(configFrom({ ...made.environment, LOOMLOG_DIR: join(made.dir, 'log') }))
  try {
    const known = await readGenerations(host.log, host.codec)
    const generationReader = new GenerationReader(host, { current: known })
    const of = { host, known, serving: servingGeneration(findGeneration(known, name), host.topics), generationReader }
    await eventually(async () => {
      const behind = (await generationProgress(of)).filter(({ lag }) => lag > 0)
      assert.deepEqual(behind, [])
    }, 150_000)
    await generationReader.close()
  } finally {
    await host.close()
  }
}

test('a changed prompt is derived beside the live memory, promoted for one tenant and for all, and rolled back', async (t) => {
  const made = await fixture(t, 24)
  const log = join(made.dir, 'log')
  await assertCommandRefused(made, ['generation', 'list'], 2, /no log/)
  assert.equal((await loomlog(ingestArgs(made, log), made.environment)).code, 0)
  const first = made.endpoint.calls().chat
  const { live: before } = await ran<{ live: string }>(made, ['generation', 'list'])
  const set = ['--set', `fact-extractor.prompt=${await promptFile(made)}`]
  const url = await up(t, made)
  const everyone = reader(url, 'default')
  const canary = reader(url, 'canary')

  const planned = await ran<{ generation: string; stages: { stage: string; reused: boolean }[] }>(made, [
    'generation',
    'plan',
    ...set,
  ])
  assert.deepEqual(
    planned.stages.map(({ stage, reused }) => `${stage} ${reused}`),
    ['topic-loom true', 'fact-extractor false', 'trace-weaver false', 'consolidator false'],
  )
  const { generation: after } = await ran<{ generation: string }>(made, [
    'generation',
    'start',
    ...set,
    '--name',
    'shorter',
  ])
  assert.equal(after, planned.generation)
  await assertCommandRefused(made, ['generation', 'start', ...set], 2, /already started/)
  await assertCommandRefused(made, ['generation', 'cancel', before], 2, /live for everyone/)
  await assertCommandRefused(made, ['generation', 'promote', before], 2, /live for everyone already/)
  for (let n = 0; n < 5; n++) {
    const utterance = {
      conversation: 'new',
      speaker: 'Ada',
      at: new Date(Date.UTC(2026, 1, n + 1)).toISOString(),
      text: `More on the boat ${n}.`,
    }
    const headers = { 'content-type': 'application/json', 'x-loomlog-tenant': n === 0 ? 'canary' : 'default' }
    const reply = await fetch(`${url}/v1/spaces/default/utterances`, {
      method: 'POST',
      headers,
      body: JSON.stringify(utterance),
    })
    assert.equal(reply.status, 201, await reply.text())
  }
  await caughtUp(made, 'shorter')
  const asked = made.endpoint.calls().chat - first
  // Boundaries of the history are not asked about again; both generations ask about the five new utterances.
  const most = first + 5
  assert.ok(asked > 0 && asked < most, `${asked} more asks than the ${first} of the first derivation`)

  await assertCommandRefused(
    made,
    ['generation', 'promote', 'shorter', '--tenant', 'canari'],
    2,
    /tenant canari has no utterances/,
  )
  await ran(made, ['generation', 'promote', 'shorter', '--tenant', 'canary'])
  await canary.until(after)
  assert.ok(
    everyone.answers.every(({ generation }) => generation === before),
    'everyone is answered as before',
  )
  await ran(made, ['generation', 'promote', 'shorter'])
  await everyone.until(after)
  const back = await ran<{ generation: string; epoch: number }>(made, ['generation', 'rollback'])
  assert.deepEqual([back.generation, back.epoch], [before, 4])
  await everyone.until(before, back.epoch)
  await assertCommandRefused(made, ['generation', 'rollback'], 2, /no other generation was live/)

  for (const each of [everyone, canary]) {
    await each.end()
    assert.deepEqual(each.errors, [])
    const byEpoch = new Map(each.answers.map(({ epoch, generation }) => [epoch, generation]))
    assert.ok(
      each.answers.every(({ epoch, generation }) => byEpoch.get(epoch) === generation),
      'an epoch is one generation',
    )
    assert.deepEqual(
      each.answers.map(({ epoch }) => epoch),
      each.answers.map(({ epoch }) => epoch).toSorted((a, b) => a - b),
    )
    assert.ok(each.answers.length > 20, `${each.answers.length} answers`)
  }
  const { generations } = await ran<{ generations: Row[] }>(made, ['generation', 'list'])
  assert.deepEqual(
    generations.map(({ id, liveFor }) => [id, liveFor]),
    [
      [before, ['everyone']],
      [after, []],
    ],
  )
})

test('another view embedder is derived beside the live one without a model, and serves once it is promoted', async (t) => {
  const made = await fixture(t, 12, { LOOMLOG_MORE_EMBEDDERS: 'openai:other-embedder/16' })
  assert.equal((await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)).code, 0)
  const appendedBy = Date.now()
  const asks = made.endpoint.calls().chat
  const set = ['--set', 'view-embedder=openai:other-embedder-16']
  await assertCommandRefused(
    made,
    ['generation', 'start', '--set', 'view-embedder=nobody-has-it'],
    2,
    /LOOMLOG_MORE_EMBEDDERS/,
  )
  const { generation } = await ran<{ generation: string }>(made, ['generation', 'start', ...set])
  // A promoted generation may lag by five seconds.
  await sleep(Math.max(0, appendedBy + 5_100 - Date.now()))
  // The utterance makes a stage lag for a moment. The error must still name the view, which has lagged for longer.
  await appendOnly(made, 'A word with nobody.')
  await assertCommandRefused(made, ['generation', 'promote', generation], 1, /not caught up: view of/)
  await ran(made, ['generation', 'pause', generation])
  await assertCommandRefused(made, ['generation', 'promote', generation], 2, /is paused, not running/)
  await ran(made, ['generation', 'resume', generation])
  await ran(made, ['generation', 'start', generation, '--wait'])
  await ran(made, ['generation', 'promote', generation])
  assert.equal(made.endpoint.calls().chat, asks)
  const answer = await ran<RecallReply>(made, ['recall', 'the engine of the boat'])
  assert.equal(answer.generation, generation)
  assert.ok(answer.memories.length > 0)
})

test('a sample asks only about its spaces, and the whole only about the other ones', async (t) => {
  const made = await fixture(t, 16)
  const log = join(made.dir, 'log')
  for (const space of ['a', 'b']) {
    const run = await loomlog([...ingestArgs(made, log), '--space', space], made.environment)
    assert.equal(run.code, 0, run.stderr)
  }
  const asks = () => made.endpoint.calls().chat
  const set = ['--set', `fact-extractor.prompt=${await promptFile(made)}`]
  const before = asks()
  const sample = await ran<{ generation: string }>(made, [
    'generation',
    'start',
    ...set,
    '--spaces',
    'default/a',
    '--wait',
  ])
  const forSample = asks() - before
  await assertCommandRefused(
    made,
    ['generation', 'promote', sample.generation],
    2,
    /does not cover all spaces of everyone/,
  )
  await ran(made, ['generation', 'start', ...set, '--wait'])
  const forRest = asks() - before - forSample
  assert.ok(
    forSample > 0 && forSample === forRest,
    `${forSample} asks for one of two equal spaces, ${forRest} for the other`,
  )
})
