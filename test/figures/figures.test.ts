/**
 * The files in docs/figures: each names its measurement and the code of that day, and says whether that code has
 * changed.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { codeParts, partsUnder } from './code-parts.ts'
import { changedParts, staleClauses } from './provenance.ts'
import type { Origin } from './result.ts'

const folder = join(import.meta.dirname, '../../docs/figures')
const files = new Map(
  globSync('*.json', { cwd: folder }).map((file) => [
    basename(file, '.json'),
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as Origin & {
      readonly stale?: string
      readonly results?: readonly object[]
    },
  ]),
)

test('every file names its command, machine, day and commit, and the parts of the code that decide results', () => {
  for (const [name, { command, machine, day, commit, code }] of files) {
    assert.match(command, /^(?:npm|npx|loomlog) /, name)
    assert.match(machine, /^\d+ cores, \w+ \w+, Node \d+/, name)
    assert.match(day, /^\d{4}-\d\d-\d\d$/, name)
    assert.match(commit, /^[0-9a-f]{8}$/, `docs/figures/${name}.json: measure on a commit, without other changes`)
    assert.deepEqual(Object.keys(code), Object.keys(codeParts()), name)
  }
})

test('figures whose code has changed since say so', () => {
  for (const name of Object.keys(partsUnder)) assert.ok(files.has(name), `there is no docs/figures/${name}.json`)
  for (const [name, { code, commit, command, stale }] of files) {
    const changed = changedParts(partsUnder[name] ?? [], code, codeParts())
    const advice = `run ${command} --json docs/figures/${name}.json, or write the reason in its field stale`
    if (stale === undefined)
      assert.deepEqual(changed, [], `docs/figures/${name}.json was measured on commit ${commit}: ${advice}`)
    else {
      assert.match(stale, /^before /, name)
      const missing = staleClauses(partsUnder[name] ?? [], code, codeParts()).filter(
        (clause) => !stale.includes(clause),
      )
      assert.deepEqual(missing, [], `docs/figures/${name}.json: the field stale lacks them; or run ${command} again`)
    }
  }
})

test('a change of a revision, of a prompt and of weights is named, and a part that the figures do not depend on is not', () => {
  const then = { 'topic-loom': 4, 'fact-extractor': 9, prompts: 'a' }
  const now = { 'topic-loom': 6, 'fact-extractor': 18, prompts: 'b' }
  assert.deepEqual(changedParts(['topic-loom', 'prompts'], then, now), [
    'topic-loom was 4, and is 6',
    'prompts was a, and is b',
  ])
  assert.deepEqual(staleClauses(['topic-loom', 'prompts'], then, now), [
    'revision 6 of topic-loom (then 4)',
    'other prompts',
  ])
  assert.deepEqual(changedParts(['fact-extractor'], then, then), [])
  assert.deepEqual(staleClauses(['fact-extractor'], then, then), [])
})

test('a file of the campaign has the results of its scenarios, as the command writes them', () => {
  const ofCampaign = [...files].filter(([, { command, stale }]) => /test:faults/.test(command) && stale === undefined)
  assert.ok(ofCampaign.length > 0)
  for (const [name, { results = [] }] of ofCampaign) {
    assert.ok(results.length > 0, `docs/figures/${name}.json has no results`)
    for (const result of results)
      assert.deepEqual(Object.keys(result), ['scenario', 'log', 'seed', 'seconds', 'isKept', 'details'], name)
  }
})
