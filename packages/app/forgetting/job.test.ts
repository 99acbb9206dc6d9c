/**
 * The keys of a forgetting. On a log that doesn't erase records, as Kafka's, a stage that lags writes what it made of a
 * forgotten utterance after the rotation of the space's key, with the new key. It is destroyed all the same.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { signedCertificate } from '@loomlog/forgetting/certificate'
import { appendForgettingEvents, readForgettings, requestEvent } from '@loomlog/forgetting/forgettings'
import { noCriteria } from '@loomlog/forgetting/selection'
import { readEras } from '@loomlog/forgetting/space-history'
import type { Host } from '@loomlog/host/open'
import { utteranceFrom } from '@loomlog/intake/utterance'
import type { SourceEvent } from '@loomlog/schemas/events'
import { eventually } from '../../../test/eventually.ts'
import { append, folder, sealedNow, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { startForgettings } from './forgetting-worker.ts'
import { carryOn, statusEvent } from './job.ts'
import { appendRequest } from './operations.ts'

const [tenant, space, key] = ['acme', 'home', 'acme/home']
const lagging = 'topic-shifts.lagging'

function said(id: string, speaker: string, text: string): SourceEvent {
  const line = { id, conversation: 'c', speaker, at: '2026-03-01T09:00:00Z', text }
  return utteranceFrom(line, { tenant, space }, Date.UTC(2026, 2, 1))
}

function markerEvent(id: string): SourceEvent {
  const place = { id, tenant, space, seq: null, subject: '', by: 'Ines', principal: null, keyId: null }
  return { type: 'SubjectForgotten', ...place, forgetting: 'f1', kept: 1, at: 1, appendedAt: 1 }
}

async function idsIn(topic: string, { log, codec }: Pick<Host, 'log' | 'codec'>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const records of log.read({ topic, until: 'end' }))
    for (const { value } of records) {
      // The last record of a partition is handed out, empty, once it is erased.
      if (value.byteLength === 0) continue
      const event = (await codec.decode(value)) as SourceEvent
      ids.push(event.type === 'SubjectForgotten' ? 'marker' : event.id)
    }
  return ids
}

interface ForgetOptions {
  readonly id: string
  readonly speaker: string
  /** Called whenever the passage of a marker is looked at. Returns the stages that are behind; else none is. */
  onPassage?(): Promise<readonly string[] | void>
}

async function forget({ id, speaker, onPassage }: ForgetOptions, host: Host): Promise<void> {
  const selection = { ...noCriteria, speaker }
  const forgetting = { id, tenant, space, selection, by: 'Ines', principal: null, at: 1 }
  await appendForgettingEvents([requestEvent(forgetting), statusEvent(forgetting, 'requested', {})], host)
  const state = (await readForgettings(key, host)).find((each) => each.id === id)
  assert.ok(state)
  const passage = {
    async behind() {
      return (await onPassage?.()) ?? []
    },
    hasOutdated: async () => false,
  }
  await carryOn(state, host, { signal: AbortSignal.timeout(60_000), passage, onProgress() {} })
}

test('the late output of a stage that lags is destroyed where the log does not erase records', async (t) => {
  await withHost(await folder(t), async (opened) => {
    assert.ok(opened.log.sealing, 'the log is encrypted')
    const host: Host = { ...opened, log: { ...opened.log, erasesRecords: false, erase: async () => {} } }
    const forgotten = said('mallory-1', 'Mallory', 'I live in Canarytown.')
    await append(host, [said('maya-1', 'Maya', 'I live in Porto.'), forgotten])
    await host.log.createTopic({ name: lagging, partitions: 2, retentionMs: null })
    let hasLagged = false
    const onPassage = async () => {
      if (!hasLagged) await host.log.append(lagging, [{ key, value: host.codec.encode(forgotten), timestamp: 1 }])
      hasLagged = true
    }
    await forget({ id: 'f1', speaker: 'Mallory', onPassage }, host)
    assert.deepEqual(await idsIn(lagging, host), [])
    assert.deepEqual(await idsIn('utterances', host), ['marker', 'maya-1'])
    const [certified] = await readForgettings(key, host)
    assert.equal(certified?.status, 'certified')
    assert.equal(certified.request, null, 'the request names the speaker')
  })
})

test('the output of a generation that is started once the records are listed is destroyed too', async (t) => {
  await withHost(await folder(t), async (opened) => {
    const forgotten = said('mallory-1', 'Mallory', 'I live in Canarytown.')
    const output = { key, value: opened.codec.encode(forgotten), timestamp: 1 }
    let writing: Promise<unknown> | null = null
    let isBehind = false
    const write = async () => {
      isBehind = true
      await sleep(300)
      await opened.log.append(lagging, [output])
      isBehind = false
    }
    // It has read the utterances before they are erased.
    const erase: Host['log']['erase'] = (positions) => {
      writing ??= write()
      return opened.log.erase(positions)
    }
    const host: Host = { ...opened, log: { ...opened.log, erase } }
    await append(host, [said('maya-1', 'Maya', 'I live in Porto.'), forgotten])
    await host.log.createTopic({ name: lagging, partitions: 2, retentionMs: null })
    await forget({ id: 'f1', speaker: 'Mallory', onPassage: async () => (isBehind ? ['topic-shifts'] : []) }, host)
    await writing
    assert.deepEqual(await idsIn(lagging, host), [])
    assert.equal((await readForgettings(key, host))[0]?.status, 'certified')
  })
})

test('where the log does not erase records, such a generation passes another rewrite', async (t) => {
  await withHost(await folder(t), async (opened) => {
    const host: Host = { ...opened, log: { ...opened.log, erasesRecords: false, erase: async () => {} } }
    const forgotten = said('mallory-1', 'Mallory', 'I live in Canarytown.')
    await append(host, [said('maya-1', 'Maya', 'I live in Porto.'), forgotten])
    await host.log.createTopic({ name: lagging, partitions: 2, retentionMs: null })
    let isStarted = false
    const onPassage = async () => {
      const [state] = await readForgettings(key, host)
      if (state?.status !== 'listed' || isStarted) return
      isStarted = true
      await host.log.append(lagging, [{ key, value: host.codec.encode(forgotten), timestamp: 1 }])
      return ['topic-shifts']
    }
    await forget({ id: 'f1', speaker: 'Mallory', onPassage }, host)
    assert.ok(isStarted)
    assert.deepEqual(await idsIn(lagging, host), [])
    assert.deepEqual(await idsIn('utterances', host), ['marker', 'maya-1'])
    assert.equal((await readForgettings(key, host))[0]?.status, 'certified')
  })
})

test('records of kept events between the two rewrites do not hold up a log that erases no records', async (t) => {
  await withHost(await folder(t), async (opened) => {
    const host: Host = { ...opened, log: { ...opened.log, erasesRecords: false, erase: async () => {} } }
    const kept = said('maya-1', 'Maya', 'I live in Porto.')
    await append(host, [kept, said('mallory-1', 'Mallory', 'I live in Canarytown.')])
    const derived = 'topic-shifts.derived'
    await host.log.createTopic({ name: derived, partitions: 2, retentionMs: null })
    const passed: string[] = []
    const onPassage = async () => {
      if (passed.length === 2) return
      const marker = (await readEras(key, host)).length - 1
      // The lagging stage: its output from behind the first marker comes after the second rotation of the key.
      const events = [...(marker === 1 ? [] : [kept]), markerEvent(`marker-${marker}`)]
      await host.log.append(
        derived,
        events.map((event) => ({ key, value: host.codec.encode(event), timestamp: 1 })),
      )
      passed.push(`marker ${marker}`)
    }
    await forget({ id: 'f1', speaker: 'Mallory', onPassage }, host)
    assert.deepEqual(passed, ['marker 1', 'marker 2'])
    const [certified] = await readForgettings(key, host)
    assert.equal(certified?.status, 'certified')
    const counts = certified.list[0]?.counts
    assert.equal(counts?.UtteranceAppended, 2, 'the record that is kept is not counted')
  })
})

test('an append that began before the rotation of the key and ended behind the marker is kept', async (t) => {
  await withHost(await folder(t), async (host) => {
    await append(host, [said('maya-1', 'Maya', 'I live in Porto.'), said('mallory-1', 'Mallory', 'I live here.')])
    const late = await Promise.all(['late-1', 'late-2'].map((id) => sealedNow(host, said(id, 'Ines', 'I own a boat.'))))
    const onPassage = async () => {
      for (const endAppend of late.splice(0)) await endAppend('utterances')
    }
    await forget({ id: 'f1', speaker: 'Mallory', onPassage }, host)
    assert.deepEqual(await idsIn('utterances', host), ['marker', 'maya-1', 'late-1', 'late-2'])
    assert.deepEqual(await host.log.sealing?.destroyRetired(key), 0, 'no retired key is left')
  })
})

test('the certificate of a forgetting outlives later ones, and their keys', async (t) => {
  await withHost(await folder(t), async (host) => {
    const speakers = ['Mallory', 'Maya']
    await append(
      host,
      ['Ines', ...speakers].map((speaker) => said(`${speaker}-1`, speaker, 'I live in Porto.')),
    )
    for (const speaker of speakers) await forget({ id: speaker, speaker }, host)
    const certificates = (await readForgettings(key, host)).map(signedCertificate)
    assert.deepEqual(
      certificates.map((certificate) => certificate?.ids.length),
      [1, 1],
    )
  })
})

for (const encryption of ['on', 'off'])
  test(`requests that wait for another one of their space are carried out too (encryption ${encryption})`, async (t) => {
    const work = async (host: Host) => {
      const speakers = ['Mallory', 'Maya', 'Tomas']
      await append(
        host,
        ['Ines', ...speakers].map((speaker) => said(`${speaker}-1`, speaker, 'I live in Porto.')),
      )
      for (const speaker of speakers) {
        const selection = { ...noCriteria, speaker }
        await appendRequest({ tenant, space, selection, by: 'Ines', principal: null }, host)
      }
      const stop = new AbortController()
      const worker = await startForgettings(host, {
        signal: stop.signal,
        logger: { info() {}, warn() {} },
        onError: assert.fail,
      })
      try {
        await eventually(async () => {
          const states = await readForgettings(key, host)
          assert.deepEqual(
            states.map(({ status, request }) => [status, request]),
            speakers.map(() => ['certified', null]),
          )
        }, 40_000)
      } finally {
        stop.abort()
        await worker.close()
      }
      assert.deepEqual(await idsIn('utterances', host), ['marker', 'Ines-1'])
    }
    await withHost(await folder(t), work, { LOOMLOG_ENCRYPTION: encryption })
  })

test('a forgetting destroys its own request only, wherever the others are', async (t) => {
  await withHost(await folder(t), async (host) => {
    await append(host, [said('maya-1', 'Maya', 'I live in Porto.'), said('tomas-1', 'Tomas', 'I row.')])
    const request = (speaker: string) => {
      const selection = { ...noCriteria, speaker }
      return appendRequest({ tenant, space, selection, by: 'Ines', principal: null }, host)
    }
    await request('Maya')
    let isLate = false
    const onPassage = async () => {
      if (!isLate) await request('Tomas')
      isLate = true
    }
    await forget({ id: 'f', speaker: 'Mallory', onPassage }, host)
    const states = await readForgettings(key, host)
    assert.deepEqual(
      states.map(({ status, request: left }) => [status, left?.selection.speaker]),
      [
        ['requested', 'Maya'],
        ['certified', undefined],
        ['requested', 'Tomas'],
      ],
    )
  })
})
