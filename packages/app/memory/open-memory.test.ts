/** The memory in a folder of this process: it survives its process, shares its folder, and ends with `close`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isLoomlogError } from '@loomlog/errors'
import { eventually } from '../../../test/eventually.ts'
import { withinSeconds } from '../../../test/within-seconds.ts'
import { openMemory } from './open-memory.ts'

async function folder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'loomlog-open-'))
  t.after(() => rm(parent, { recursive: true, maxRetries: 3 }))
  return join(parent, 'memory')
}

const onNotice = (text: string) => assert.fail(text)
const said = { conversation: 'standup', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text: 'I live in Lisbon.' }

test('a folder is made for its owner alone, and its facts are there for the next opening', async (t) => {
  const dir = await folder(t)
  {
    await using memory = await openMemory({ dir, env: {}, onNotice })
    const team = memory.space('team')
    await team.add(said)
    await team.end({ conversation: 'standup' })
    const { position } = await team.end()
    const { memories } = await team.recall('Where does Maya live?', {
      kind: 'fact',
      after: position,
      reach: 'derived',
      wait: 30_000,
    })
    assert.match(memories[0]?.text ?? '', /Maya lives in Lisbon/)
  }
  assert.equal((await stat(dir)).mode & 0o077, 0)
  await using memory = await openMemory({ dir, env: {}, onNotice })
  const { memories } = await memory.space('team').recall('Where does Maya live?', { kind: 'fact' })
  assert.match(memories[0]?.text ?? '', /Maya lives in Lisbon/)
})

test('messages that an earlier process left are derived without a call', async (t) => {
  const dir = await folder(t)
  const program = `
    import { openMemory } from ${JSON.stringify(import.meta.resolve('./open-memory.ts'))}
    const memory = await openMemory({ dir: ${JSON.stringify(dir)}, env: {} })
    const team = memory.space('team')
    await team.add(${JSON.stringify(said)})
    await team.end({ conversation: 'standup' })
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
  await using memory = await openMemory({ dir, env: { LOOMLOG_SESSION_MS: '1000' }, onNotice })
  const facts: unknown[] = []
  const reading = memory.space('team').events({ types: ['loomlog.fact.recorded'] })
  for await (const event of reading) {
    facts.push(event)
    break
  }
  assert.equal(facts.length, 1)
})

test('the message that answers is found at once and first, regardless of its words', async (t) => {
  await using memory = await openMemory({ dir: await folder(t), env: {}, onNotice })
  const team = memory.space('team')
  const others = Array.from({ length: 19 }, (_, n) => ({ ...said, text: `The train was late again, ${n} minutes.` }))
  await team.add([{ ...said, text: 'I moved to Porto last week.' }, ...others])
  for (const question of ['Where does Maya live?', 'Which city am I living in?']) {
    const { memories } = await team.recall(question, { limit: 1 })
    assert.match(memories[0]?.text ?? '', /Porto/, question)
  }
})

test('two openings of a folder share it', async (t) => {
  const dir = await folder(t)
  await using first = await openMemory({ dir, env: {}, onNotice })
  await using second = await openMemory({ dir, env: {}, onNotice })
  await first.space('team').add(said)
  assert.equal((await second.space('team').add(said)).known, 1)
  const { memories } = await second.space('team').recall('Where does Maya live?', { limit: 1 })
  assert.match(memories[0]?.text ?? '', /Lisbon/)
})

test('a tenant sees nothing of another', async (t) => {
  const dir = await folder(t)
  await using acme = await openMemory({ dir, tenant: 'acme', env: {}, onNotice })
  await using other = await openMemory({ dir, tenant: 'other', env: {}, onNotice })
  await acme.space('team').add(said)
  await eventually(async () => {
    assert.equal((await acme.space('team').recall('Lisbon')).memories.length, 1)
  })
  assert.equal((await other.space('team').recall('Lisbon')).memories.length, 0)
})

test('a wrong folder, tenant or setting is refused with its name', async (t) => {
  const dir = await folder(t)
  const wrong = [
    [{ dir: '' }, /dir is ""/],
    [{ dir, tennant: 'acme' }, /there is no field tennant: expected some of dir, tenant/],
    [{ dir: fileURLToPath(import.meta.url) }, /open-memory\.test\.ts can't be made/],
    [{ dir, tenant: 'a/b' }, /tenant is "a\/b"/],
    [{ dir, env: { LOOMLOG_PARTITIONS: 'x' } }, /LOOMLOG_PARTITIONS is "x"/],
  ] as const
  for (const [options, message] of wrong)
    await assert.rejects(openMemory({ env: {}, ...options }), (error) => {
      assert.ok(isLoomlogError(error))
      assert.match(error.message, message)
      return true
    })
  await assert.rejects(stat(dir), { code: 'ENOENT' })
})

test('a program ends after its close, though calls run and a feed is followed', async (t) => {
  const dir = await folder(t)
  const program = `
    import { openMemory } from ${JSON.stringify(import.meta.resolve('./open-memory.ts'))}
    const memory = await openMemory({ dir: ${JSON.stringify(dir)}, env: {} })
    const team = memory.space('team')
    await team.add(${JSON.stringify(said)})
    const events = memory.events({ after: 'now', types: ['loomlog.correction.applied'] })[Symbol.asyncIterator]()
    const waiting = events.next()
    const unread = team.events()[Symbol.asyncIterator]()
    await unread.next()
    const recall = team.recall('Where does Maya live?')
    await memory.close()
    const { memories } = await recall
    console.log(memories.length, (await waiting).done)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([text(child.stdout), withinSeconds(once(child, 'exit'), 'the end of the program')])
  assert.equal(output, '1 true\n')
})

test('a pipeline that could not begin is tried again', async (t) => {
  const dir = await folder(t)
  const notices: string[] = []
  await using memory = await openMemory({ dir, env: {}, onNotice: (notice) => notices.push(notice) })
  const team = memory.space('team')
  await team.add(said)
  await writeFile(join(dir, 'views'), 'no folder')
  await assert.rejects(team.recall('Where does Maya live?'))
  await rm(join(dir, 'views'))
  assert.equal((await team.recall('Where does Maya live?')).memories.length, 1)
})

test('a closed memory refuses calls, and closing again changes nothing', async (t) => {
  const dir = await folder(t)
  const memory = await openMemory({ dir, env: {}, onNotice })
  await memory.close()
  await memory.close()
  const team = memory.space('team')
  const isClosed = (error: unknown) => isLoomlogError(error, 'log-unavailable')
  await assert.rejects(team.add(said), isClosed)
  await assert.rejects(team.recall('Lisbon'), isClosed)
  await assert.rejects(memory.events()[Symbol.asyncIterator]().next(), isClosed)
})
