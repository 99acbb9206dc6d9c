/** The index over completions is never used for another log than its own, nor for another copy of it. */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { partitionOf } from '@loomlog/log/partition'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { CompletionIndex } from './answer-book.ts'
import { answer, appendAnswers, folder, openWorld } from './fixture.ts'

const answerOf = (recorded: AnswerRecorded | null) => recorded?.answer

test('an index that is ahead of its log was built from another log, and is rebuilt', async (t) => {
  const dir = await folder(t)
  const first = await openWorld(dir)
  await first.book.follow(0)
  await first.book.record('t/s', answer('kept', 'kept'))
  await first.close()
  const backup = await folder(t)
  await cp(join(dir, 'log.db'), join(backup, 'log.db'))
  const second = await openWorld(dir)
  await second.book.follow(0)
  await second.book.record('t/s', answer('lost', 'lost'))
  await second.close()
  await cp(join(backup, 'log.db'), join(dir, 'log.db'))
  const restored = await openWorld(dir)
  t.after(() => restored.close())
  await restored.book.follow(0)
  assert.equal(answerOf(await restored.book.lookup('kept')), 'kept')
  assert.equal(await restored.book.lookup('lost'), null)
  assert.equal(answerOf(await restored.book.record('t/s', answer('lost', 'found anew'))), 'found anew')
})

test('after a log is restored from an older copy and grows past it, its index is rebuilt, with a message', async (t) => {
  const dir = await folder(t)
  const backup = await folder(t)
  const first = await openWorld(dir)
  await first.book.follow(0)
  await first.book.record('t/s', answer('kept', 'kept'))
  await first.close()
  await cp(join(dir, 'log.db'), join(backup, 'log.db'))
  const second = await openWorld(dir)
  await second.book.follow(0)
  await second.book.record('t/s', answer('lost', 'lost'))
  await second.close()
  await cp(join(backup, 'log.db'), join(dir, 'log.db'))
  const elsewhere = await openWorld(dir)
  await appendAnswers(elsewhere, answer('new', 'new'), answer('newer', 'newer'))
  await elsewhere.close()
  const remade: string[] = []
  const restored = await openWorld(dir)
  t.after(() => restored.close())
  const book = new CompletionIndex({ ...restored, dir, onRemade: (message) => remade.push(message) })
  t.after(() => book.close())
  await book.follow(0)
  assert.equal(await book.lookup('lost'), null)
  for (const key of ['kept', 'new', 'newer']) assert.equal(answerOf(await book.lookup(key)), key)
  assert.match(remade.join(), /completions-index.db was made from another log \(completions\/0 has another record at 1/)
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
    for (let partition = 0; partition < from; partition += 1) await first.book.follow(partition)
    for (const space of spaces) await first.book.record(`t/${space}`, answer(space, 'old', { space, ...paid }))
    await first.close()
    await (await openWorld(elsewhere, to)).close()
    await cp(join(dir, 'completions-index.db'), join(elsewhere, 'completions-index.db'))
    const other = await openWorld(elsewhere, to)
    t.after(() => other.close())
    const messages: string[] = []
    const book = new CompletionIndex({ ...other, onRemade: (message) => messages.push(message) })
    t.after(() => book.close())
    await book.follow(0)
    for (const space of spaces) assert.equal(await book.lookup(space), null)
    assert.deepEqual(await book.usage(null, 10), [])
    for (let partition = 0; partition < to; partition += 1) await book.follow(partition)
    assert.match(
      messages.join('; '),
      /^completions-index.db was made from another log \(completions is [^;]*: it is rebuilt$/,
    )
    for (const space of spaces) assert.equal(answerOf(await book.record(`t/${space}`, answer(space, 'new'))), 'new')
  })
}
