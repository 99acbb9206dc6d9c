/** A corrected statement in `context`: one line, with its author. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSucceeded, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

test('a corrected statement is in the context once, with its author', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', utteranceLine({ id: 'u1' }))))
  const [found] = jsonLines(await place.run('recall', 'Where does Maya live?', '--kind', 'fact', '--json'))
  const [fact] = (found?.memories ?? []) as { id: string }[]
  assertSucceeded(await place.run('correct', fact?.id ?? '', '--text', 'Maya lives in Porto.', '--by', 'Ines'))
  assertSucceeded(await place.run('correct', '--add', 'Maya has a boat.', '--by', 'Tom'))
  const linesWith = async (words: string, ...args: readonly string[]) => {
    const [block] = jsonLines(await place.run('context', ...args, '--json'))
    return String(block?.text)
      .split('\n')
      .filter((line) => line.includes(words))
      .map((line) => line.replace(/^\d+ /, '').replace(/said \d+ \w+ \d+/, 'said DAY'))
  }
  const corrected = ['Maya lives in Porto. (said DAY, corrected by Ines)']
  assert.deepEqual(await linesWith('Porto', 'Where does Maya live?'), corrected)
  assert.deepEqual(await linesWith('Porto'), corrected)
  assert.deepEqual(await linesWith('boat', 'Does Maya have a boat?'), ['Maya has a boat. (said DAY, added by Tom)'])
  // Too small a budget for the current state: the fact is evidence.
  assert.deepEqual(await linesWith('Porto', 'Where does Maya live?', '--budget', '40'), [
    'Maya lives in Porto. (corrected by Ines)',
  ])
})
