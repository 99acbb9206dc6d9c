/** A generation whose model finds no facts, beside a live memory that has them. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { fakeModelAnswer } from './fake-model.ts'
import { type Fixture, fixture, ingestArgs } from './fixture.ts'
import { loomlog, startProgram } from './loomlog.ts'

async function ran<T>(made: Fixture, ...args: readonly string[]): Promise<T> {
  const run = await loomlog([...args, '--json', '--dir', join(made.dir, 'log')], made.environment)
  assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`)
  return JSON.parse(run.stdout) as T
}

/** Derives a successor in which no window has a fact. */
async function deriveWithoutFacts(t: TestContext, made: Fixture): Promise<string> {
  const endpoint = await startFakeEndpoint({
    answer: (request) => (request.schemaName === 'extract-facts' ? { rows: [] } : fakeModelAnswer(request)),
    dimensions: 16,
  })
  t.after(() => endpoint.close())
  const prompt = join(made.dir, 'extract-facts.v4.md')
  await writeFile(
    prompt,
    'List no facts: no rows with sources, kind, when, place, persons, keywords, subject, relation, object.',
  )
  const environment = { ...made.environment, LOOMLOG_MODEL_URL: endpoint.baseUrl }
  const args = ['generation', 'start', '--set', `fact-extractor.prompt=${prompt}`, '--wait']
  const run = await loomlog([...args, '--json', '--dir', join(made.dir, 'log')], environment)
  assert.equal(run.code, 0, run.stderr)
  return (JSON.parse(run.stdout) as { generation: string }).generation
}

async function up(t: TestContext, made: Fixture): Promise<string> {
  const args = ['up', '--port', '0', '--json', '--dir', join(made.dir, 'log')]
  const { process, finished } = startProgram(args, made.environment)
  t.after(() => process.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    process.stdout?.on('data', (data) => resolve((JSON.parse(String(data)) as { url: string }).url))
    void finished.then(({ stderr }) => reject(new Error(stderr)))
  })
}

test('a generation that lost the facts of the live one is refused with both numbers, by command and over HTTP, unless it is promoted anyway', async (t) => {
  const made = await fixture(t, 24)
  const log = join(made.dir, 'log')
  const ingested = await loomlog(ingestArgs(made, log), made.environment)
  assert.equal(ingested.code, 0, ingested.stderr)
  const { live } = await ran<{ live: string }>(made, 'generation', 'list')
  const empty = await deriveWithoutFacts(t, made)
  const { counts } = await ran<{ counts: { fact: { removed: number; same: number } } }>(
    made,
    ...['generation', 'diff', live, empty],
  )
  const before = counts.fact.removed
  assert.ok(before > 2 && counts.fact.same === 0, `${before} facts`)
  const loss = new RegExp(
    `${empty} has 0 facts and 0 entries, and the live one has ${before} and \\d+: .*loomlog generation diff ${live} ${empty} .*--anyway`,
  )
  for (const scope of [[], ['--tenant', 'default']]) {
    const refused = await loomlog(['generation', 'promote', empty, ...scope, '--dir', log], made.environment)
    assert.match(refused.stderr, loss)
    assert.equal(refused.code, 2)
  }

  const url = await up(t, made)
  const promote = (body: object) =>
    fetch(`${url}/v1/generations/${empty}/promote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const refused = await promote({})
  const problem = (await refused.json()) as { type: string; detail: string }
  assert.deepEqual([refused.status, problem.type], [409, 'urn:loomlog:problem:generation-refused'])
  assert.match(problem.detail, loss)
  assert.equal((await ran<{ live: string }>(made, 'generation', 'list')).live, live)

  const promoted = await promote({ anyway: true })
  assert.equal(promoted.status, 200, await promoted.text())
  assert.equal((await ran<{ live: string }>(made, 'generation', 'list')).live, empty)
  // The way back gains facts.
  assert.equal((await ran<{ generation: string }>(made, 'generation', 'rollback')).generation, live)
})
