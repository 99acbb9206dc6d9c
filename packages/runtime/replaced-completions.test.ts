/** The index over completions is never used for another log than its own, nor for another copy of it. */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { partitionOf } from '@loomlog/log/partition'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { CompletionIndex } from './completion-index.ts'
import { answer, appendAnswers, folder, openWorld } from './fixture.ts'

const answerOf = (recorded: AnswerRecorded | null) => recorded?.answer

test('an index that is ahead of its log was built from another log, and is rebuilt', async (t) => {
  const dir = await folder(t)
  const first = await openWorld(dir)
  await first.completions.follow(0)
  await first.completions.record('t/s', answer('kept', 'kept'))
  await first.close()
  const backup = await folder(t)
  await cp(join(dir, 'log.db'), join(backup, 'log.db'))
  const second = await openWorld(dir)
  await second.completions.follow(0)
  await second.completions.record('t/s', answer('lost', 'lost'))
  await second.close()
  await cp(join(backup, 'log.db'), join(dir, 'log.db'))
  const restored = await openWorld(dir)
  t.after(() => restored.close())
  await restored.completions.follow(0)
  assert.equal(answerOf(await restored.completions.lookup('kept')), 'kept')
  assert.equal(await restored.completions.lookup('lost'), null)
  assert.equal(answerOf(await restored.completions.record('t/s', answer('lost', 'found anew'))), 'found anew')
})

test('after a log is restored from an older copy and grows past it, its index is rebuilt, with a message', async (t) => {
  const dir = await folder(t)
  const backup = await folder(t)
  const first = await openWorld(dir)
  await first.completions.follow(0)
  await first.completions.record('t/s', answer('kept', 'kept'))
  await first.close()
  await cp(join(dir, 'log.db'), join(backup, 'log.db'))
  const second = await openWorld(dir)
  await second.completions.follow(0)
  await second.completions.record('t/s', answer('lost', 'lost'))
  await second.close()
  await cp(join(backup, 'log.db'), join(dir, 'log.db'))
  const elsewhere = await openWorld(dir)
  await appendAnswers(elsewhere, answer('new', 'new'), answer('newer', 'newer'))
  await elsewhere.close()
  const rebuilds: string[] = []
  const restored = await openWorld(dir)
  t.after(() => restored.close())
  const completions = new CompletionIndex({ ...restored, dir, onRebuild: (message) => rebuilds.push(message) })
  t.after(() => completions.close())
  await completions.follow(0)
  assert.equal(await completions.lookup('lost'), null)
  for (const key of ['kept', 'new', 'newer']) assert.equal(answerOf(await completions.lookup(key)), key)
  const counted = (await completions.usage(null, 10)).map(({ asks }) => asks)
  assert.deepEqual(counted, [3], 'each answer of this log counts once, and the lost one not at all')
  assert.match(
    rebuilds.join(),
    /completions-index.db was made from another log \(completions\/0 has another record at 1/,
  )
})

for (const [from, to] of [
  [4, 1],
  [1, 4],
] as const) {
  test(`answers of a log with ${from} partitions are neither used nor counted for another log with ${to}`, async (t) => {
    const [dir, elsewhere] = [await folder(t), await folder(t)]
    const spaces = ['a', 'b', 'c', 'd', 'e', 'f'].filter((name) => partitionOf(`t/${name}`, 4) !== 0)
    const paid = { inputTokens: 100, outputTokens: 7 }
    const first = await openWorld(dir, from)
    for (let partition = 0; partition < from; partition += 1) await first.completions.follow(partition)
    for (const space of spaces) await first.completions.record(`t/${space}`, answer(space, 'old', { space, ...paid }))
    await first.close()
    await (await openWorld(elsewhere, to)).close()
    await cp(join(dir, 'completions-index.db'), join(elsewhere, 'completions-index.db'))
    const other = await openWorld(elsewhere, to)
    t.after(() => other.close())
    const messages: string[] = []
    const completions = new CompletionIndex({ ...other, onRebuild: (message) => messages.push(message) })
    t.after(() => completions.close())
    await completions.follow(0)
    for (const space of spaces) assert.equal(await completions.lookup(space), null)
    assert.deepEqual(await completions.usage(null, 10), [])
    for (let partition = 0; partition < to; partition += 1) await completions.follow(partition)
    assert.match(
      messages.join('; '),
      /^completions-index.db was made from another log \(completions is [^;]*: it is rebuilt$/,
    )
    for (const space of spaces)
      assert.equal(answerOf(await completions.record(`t/${space}`, answer(space, 'new'))), 'new')
  })
}
