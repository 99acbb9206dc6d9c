/** Two generations side by side, by command: the estimate, the difference, and the removal of one. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { removalCrashPoints } from '@loomlog/log/crash-points'
import { dumpHash, type Fixture, fixture, ingestAndHash } from '../pipeline/fixture.ts'
import { type Environment, loomlog, startProgram } from '../pipeline/loomlog.ts'

const prompt = fileURLToPath(new URL('../../services/fact-extractor/prompts/extract-facts.v4.md', import.meta.url))

/** A memory with a second generation, whose facts come from another prompt. */
async function twoGenerations(made: Fixture) {
  const dir = join(made.dir, 'log')
  const live = await ingestAndHash(made, dir)
  const file = join(made.dir, 'prompt.md')
  await writeFile(file, `${await readFile(prompt, 'utf8')}\nBe brief.\n`)
  const run = async (args: readonly string[], more: Environment = {}) => {
    const { code, stdout, stderr } = await loomlog([...args, '--dir', dir, '--json'], { ...made.environment, ...more })
    return { code, stderr, output: stdout === '' ? null : JSON.parse(stdout.trim().split('\n').at(-1) ?? '') }
  }
  return { dir, live, set: ['--set', `fact-extractor.prompt=${file}`], run }
}

test('a plan shows its cost; a diff counts and lists the differences; a retired generation leaves no data, also if its removal is killed', async (t) => {
  const made = await fixture(t, 24, { LOOMLOG_PARTITIONS: '1', LOOMLOG_PRICES: 'fake-model=1/2' })
  const { dir, live, set, run } = await twoGenerations(made)

  made.endpoint.reset()
  const planned = await run(['generation', 'plan', ...set])
  assert.equal(made.endpoint.calls().chat, 0, 'a plan calls no model')
  const [facts] = planned.output.estimate.stages as readonly { stage: string; toPay: number; money: number }[]
  assert.ok(facts && facts.toPay > 0 && facts.money > 0, JSON.stringify(planned))

  assert.equal((await run(['generation', 'start', ...set])).code, 0)
  const id = planned.output.generation as string

  const { generations } = (await run(['generation', 'list'])).output as {
    generations: { id: string; liveFor: string[] }[]
  }
  const liveId = generations.find(({ liveFor }) => liveFor.length > 0)?.id ?? ''
  const early = await run(['generation', 'diff', liveId, id])
  assert.equal(early.output.behind.before, null)
  assert.ok(early.output.behind.after.records > 0, 'it has derived nothing yet, and is reported as behind')
  const again = await run(['generation', 'start', ...set])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /is already started/)
  const wrong: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['start', ...set, '--spaces', 'default/typo'], /default\/typo: there are no utterances in it/],
    [['start', ...set, '--tenant', 'typo'], /tenant typo: there are no utterances in any of them/],
    [['start', id, ...set], /--set is for a new generation/],
    [['diff', 'live', id, '--space', 'default/typo'], /default\/typo: there are no utterances in it/],
    [['start', '--set', 'topic-loom.gapMs=1', '--name', 'live'], /--name is live/],
  ]
  for (const [args, says] of wrong) {
    const refused = await run(['generation', ...args])
    assert.equal(refused.code, 2, refused.stderr)
    assert.match(refused.stderr, says)
  }
  const started = await run(['generation', 'start', ...set, '--wait'])
  assert.equal(started.code, 0, started.stderr)
  const paidFor = made.endpoint.calls().chat
  const estimated = (planned.output.estimate.stages as readonly { toPay: number }[]).reduce(
    (sum, { toPay }) => sum + toPay,
    0,
  )
  assert.equal(paidFor, estimated, 'the endpoint answers the new prompt as it answered the old one')
  const questions = join(made.dir, 'questions.jsonl')
  const question = { space: 'default', question: 'Who adopted a cat?', evidence: [made.ids[3]] }
  await writeFile(questions, JSON.stringify(question))
  const { output } = await run(['generation', 'diff', 'live', id, '--questions', questions])
  assert.deepEqual([output.counts.fact.added, output.counts.fact.removed, output.changes], [0, 0, []])
  assert.ok(output.counts.fact.same > 0 && output.questions.before.questions === 1)

  const refused = await run(['generation', 'retire', liveId])
  assert.equal(refused.code, 2)
  const dry = await run(['generation', 'retire', id, '--dry-run'])
  assert.ok((dry.output.topics as readonly string[]).some((topic) => topic.startsWith('facts.')))
  assert.ok(!(dry.output.topics as readonly string[]).some((topic) => topic.startsWith('topic-shifts.')))
  assert.equal((await run(['generation', 'retire', id])).code, 0)
  assert.equal((await run(['generation', 'retire', id, '--dry-run'])).code, 2, 'it is retired already')
  for (const point of removalCrashPoints) {
    const killed = await startProgram(['generation', 'gc', '--dir', dir], {
      ...made.environment,
      LOOMLOG_CRASH_AT: point,
    }).finished
    assert.equal(killed.code, null, `${point} was never reached: ${killed.stderr}`)
  }
  assert.equal((await run(['generation', 'gc'])).code, 0)
  assert.deepEqual((await run(['generation', 'gc', '--dry-run'])).output.removed, [])
  assert.match((await run(['dump', '--hash', '--generation', id])).stderr, /is removed: its topics are gone/)
  assert.equal(await dumpHash(made, dir), live)
  assert.equal((await run(['verify'])).code, 0)
})
