/** `LOOMLOG_RETENTION` for an operator: the preview, a server that forgets, its certificate, and wrong rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { eventually } from '../eventually.ts'
import { append, folder, settings, withHost } from '../pipeline/forgetting-fixture.ts'
import { loomlog, startProgram } from '../pipeline/loomlog.ts'

const dayMs = 86_400_000

function said(id: string, text: string, appendedAt: number) {
  const line = { id, conversation: 'c', speaker: 'Maya', at: '2026-03-01T09:00:00Z', text }
  return utteranceFrom(line, { tenant: 'acme', space: 'home' }, appendedAt)
}

test('a rule is previewed, and a server carries it out and certifies it', async (t) => {
  const dir = await folder(t)
  const environment = { ...settings(dir), LOOMLOG_RETENTION: 'acme/*=30d,acme/hom=never' }
  await withHost(dir, (host) =>
    append(host, [said('old', 'I live in Canarytown.', Date.now() - 31 * dayMs), said('new', 'I row.', Date.now())]),
  )
  const preview = await loomlog(['retention', '--json'], environment)
  assert.equal(preview.code, 0, preview.stderr)
  const { rules, unused, spaces } = JSON.parse(preview.stdout)
  assert.deepEqual([rules, unused], [['acme/*=30d', 'acme/hom=never'], ['acme/hom=never']])
  assert.deepEqual(
    spaces.map(({ appendedBefore, ...each }: { appendedBefore: string }) => ({
      ...each,
      midnight: appendedBefore.slice(10),
    })),
    [
      {
        tenant: 'acme',
        space: 'home',
        rule: 'acme/*=30d',
        utterances: 1,
        corrections: 0,
        midnight: 'T00:00:00.000Z',
      },
    ],
  )
  assert.match((await loomlog(['retention'], environment)).stdout, /acme\/home +acme\/\*=30d .+ 1 /)
  assert.match((await loomlog(['retention'], settings(dir))).stdout, /LOOMLOG_RETENTION has no rule/)
  const longer = await loomlog(['retention'], { ...environment, LOOMLOG_RETENTION: '32d' })
  assert.match(longer.stdout, /nothing is old enough to be forgotten by 32d/)

  const server = startProgram(['up', '--port', '0', '--json'], environment)
  t.after(() => server.process.kill('SIGKILL'))
  await eventually(async () => {
    const [state] = await withHost(dir, (host) => readForgettings('acme/home', host))
    assert.equal(state?.status, 'certified', server.output())
    assert.equal(state.steps.rewritten?.principal, 'retention:acme/*=30d')
  })
  server.process.kill('SIGTERM')
  await server.finished
  const kept = await loomlog(['tail', 'utterances'], environment)
  assert.match(kept.stdout, /I row/)
  assert.doesNotMatch(kept.stdout, /Canarytown/)
  assert.match((await loomlog(['retention'], environment)).stdout, /nothing is old enough/)
  assert.equal((await loomlog(['verify'], environment)).code, 0)
})

test('a wrong rule or age is refused with its name, its value and the expected one', async (t) => {
  const dir = await folder(t)
  await withHost(dir, (host) => append(host, [said('new', 'I row.', Date.now())]))
  const wrongRule = await loomlog(['retention'], { ...settings(dir), LOOMLOG_RETENTION: 'acme=30d' })
  assert.equal(wrongRule.code, 2)
  assert.match(
    wrongRule.stderr,
    /LOOMLOG_RETENTION is "acme=30d": expected DAYS, TENANT\/\*=DAYS or TENANT\/SPACE=DAYS/,
  )
  const forget = (age: string) =>
    loomlog(['forget', '--older-than', age, '--tenant', 'acme', '--space', 'home'], settings(dir))
  const wrongAge = await forget('400')
  assert.equal(wrongAge.code, 2)
  assert.match(wrongAge.stderr, /--older-than is "400": expected 0, or a number with a unit/)
  assert.match((await forget('1d')).stdout, /there is nothing to forget/)
  assert.match((await forget('0')).stdout, /^1 utterances in 1 conversations/)
})
