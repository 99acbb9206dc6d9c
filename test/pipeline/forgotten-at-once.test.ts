/** Once a forgetting is requested, no reader gives back what is to be forgotten, although no view has passed it yet. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import type { Host } from '@loomlog/host/open'
import { logMemory } from '../../packages/app/memory/log-memory.ts'
import { append, demoEvents, derive, folder, settings, withHost } from './forgetting-fixture.ts'

const home = { tenant: 'acme', space: 'home' }
const other = { tenant: 'acme', space: 'other' }
const forgotten = /Tomas|Andorinha/

/** Everything that a space's readers give back, as text. */
async function shownBy(host: Host, space: string): Promise<string> {
  const memory = logMemory(host, { tenant: 'acme', onDropped: (_, why) => assert.fail(why) })
  try {
    const reader = memory.space(space)
    const kinds = ['utterance', 'box', 'fact', 'event', 'link', 'entry', 'document']
    const lists = await Promise.all(kinds.map(async (kind) => (await reader.list({ kind, limit: 500 })).memories))
    const questions = ['Which boat did Tomas buy?', 'What is Andorinha?']
    const recalls = await Promise.all(questions.map(async (query) => (await reader.recall(query)).memories))
    const before = await reader.recall('Which boat did Tomas buy?', { knownAt: '2026-06-02' })
    return JSON.stringify([lists, recalls, before.memories])
  } finally {
    await memory.close()
  }
}

test('between the request and the passage of its marker no reader gives back what is to be forgotten', async (t) => {
  const dir = await folder(t)
  await withHost(
    dir,
    async (host) => {
      const [late, ...early] = (await demoEvents(home)).toReversed()
      await append(host, [...early.reverse(), ...(await demoEvents(other))])
      await derive(host)
      // Only the log has it.
      await append(host, late === undefined ? [] : [late])
      const whole = await shownBy(host, 'home')
      assert.match(whole, forgotten)
      const othersBefore = await shownBy(host, 'other')

      const memory = logMemory(host, { tenant: 'acme', onDropped: (_, why) => assert.fail(why) })
      const { id } = await memory.space('home').forget({ speaker: 'Tomas', by: 'Ines', preview: false })
      assert.ok(id)
      assert.doesNotMatch(await shownBy(host, 'home'), forgotten, 'requested')

      const [state] = await readForgettings('acme/home', host)
      assert.ok(state?.request)
      await rewriteSpace(state.request, 0, host)
      const rewritten = await shownBy(host, 'home')
      assert.doesNotMatch(rewritten, /"speaker":"Tomas"/, 'the marker is in the log')
      assert.match(rewritten, /Ledger/, 'the kept utterances are found by their words')
      assert.equal(await shownBy(host, 'other'), othersBefore, 'another space is as before')

      await derive(host)
      const passed = await shownBy(host, 'home')
      assert.doesNotMatch(passed, /"speaker":"Tomas"/)
      assert.match(passed, /Ledger/)
      assert.ok(passed.length > rewritten.length, 'each view shows the space again once it has passed the marker')
      await memory.close()
    },
    settings(dir),
  )
})
