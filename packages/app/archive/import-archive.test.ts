import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { recordOf } from '@loomlog/intake/append'
import type { Log } from '@loomlog/log/port'
import { checkArchive } from './archive-file.ts'
import { type ArchiveContent, answer, utterance, writeArchive } from './archive-fixture.ts'
import { importArchive } from './import-archive.ts'
import { spaceRecords } from './space-records.ts'

/** An empty log, and an archive to read into it. */
async function logAndArchive(t: TestContext, content: ArchiveContent) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-import-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: join(dir, 'log'), LOOMLOG_PARTITIONS: '1' }))
  t.after(async () => {
    await host.close()
    await rm(dir, { recursive: true })
  })
  const archive = await checkArchive(await writeArchive(join(dir, 'space.jsonl'), content))
  const read = (options: { readonly host?: Host; onProgress?(): void | Promise<void>; signal?: AbortSignal } = {}) =>
    importArchive(archive, options.host ?? host, {
      signal: new AbortController().signal,
      onProgress: () => {},
      ...options,
    })
  const append = (id: string, space = 's') =>
    host.log.append('utterances', [recordOf(utterance(id, { space }), host.codec)])
  const ids = async () => {
    const found: string[] = []
    for await (const { event } of spaceRecords(host, { topic: 'utterances', key: 'default/s' }))
      found.push(event.type === 'AnswerRecorded' ? event.key : event.id)
    return found
  }
  return { host, read, append, ids }
}

const three = [utterance('u1'), utterance('u2'), utterance('u3')]

test('a record that another process adds to the space meanwhile ends the reading before an event is appended', async (t) => {
  const { host, read, append, ids } = await logAndArchive(t, { answers: [answer('k')], events: three })
  const adding: Log = {
    ...host.log,
    append: async (topic, records) => {
      const positions = await host.log.append(topic, records)
      if (topic === 'completions') await append('q')
      return positions
    },
  }
  await assert.rejects(
    read({ host: { ...host, log: adding } }),
    /another process has appended to default\/s meanwhile; no event/,
  )
  assert.deepEqual(await ids(), ['q'])
})

test('a record that comes between the last look and the append is reported as a merge', async (t) => {
  const { host, read, append, ids } = await logAndArchive(t, { events: three })
  const overtaken: Log = {
    ...host.log,
    append: async (topic, records) => {
      await append('q')
      return await host.log.append(topic, records)
    },
  }
  await assert.rejects(
    read({ host: { ...host, log: overtaken } }),
    /default\/s has other records: the log has q where the archive has u1/,
  )
  assert.deepEqual(await ids(), ['q', 'u1', 'u2', 'u3'])
})

test('two readings of one archive at once leave its events in their order', async (t) => {
  const { host, read, ids } = await logAndArchive(t, { events: three })
  const twice: Log = {
    ...host.log,
    append: async (topic, records) => {
      await host.log.append(topic, records)
      return await host.log.append(topic, records)
    },
  }
  await read({ host: { ...host, log: twice } })
  assert.deepEqual(await ids(), ['u1', 'u2', 'u3'])
})

test('records of other spaces come between without a refusal', async (t) => {
  const { host, read, append, ids } = await logAndArchive(t, { events: three })
  const busy: Log = {
    ...host.log,
    append: async (topic, records) => {
      await append('q', 'other')
      return await host.log.append(topic, records)
    },
  }
  assert.equal((await read({ host: { ...host, log: busy } })).appended, 3)
  assert.deepEqual(await ids(), ['u1', 'u2', 'u3'])
})

test('a stopped reading has appended no event, and its repetition resumes', async (t) => {
  const { read, ids } = await logAndArchive(t, { answers: [answer('k')], events: three })
  const stopping = new AbortController()
  const stopped = await read({ signal: stopping.signal, onProgress: () => stopping.abort() })
  assert.deepEqual([stopped, await ids()], [{ answers: 1, knownAnswers: 0, appended: 0, known: 0 }, []])
  const { answers, appended } = await read()
  assert.deepEqual([answers, appended, await ids()], [0, 3, ['u1', 'u2', 'u3']])
})
