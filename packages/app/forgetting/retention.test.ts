/** Retention on real logs, with a clock of the test. No generation is live, so that no stage has to pass a marker. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { signedCertificate } from '@loomlog/forgetting/certificate'
import { type ForgettingState, forgettingsTopic, readForgettings } from '@loomlog/forgetting/forgettings'
import { noCriteria } from '@loomlog/forgetting/selection'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { utteranceFrom } from '@loomlog/intake/utterance'
import type { LoomEvent } from '@loomlog/schemas/events'
import { eventually } from '../../../test/eventually.ts'
import { append, folder, settings, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { startForgettings } from './forgetting-worker.ts'
import { appendRequest } from './operations.ts'
import { expiredSpaces } from './retention.ts'

const dayMs = 86_400_000
const today = Date.UTC(2026, 5, 30)
const daysAgo = (days: number) => today - days * dayMs
const patienceMs = 30_000

interface Line {
  readonly space: string
  readonly id: string
  readonly appendedAt: number
  /** Default: when it was appended. */
  readonly at?: number
}

function utterance({ space: key, id, appendedAt, at = appendedAt }: Line) {
  const [tenant = '', space = ''] = key.split('/')
  const line = { id, conversation: 'c', speaker: 'Maya', at: new Date(at).toISOString(), text: `This is ${id}.` }
  return utteranceFrom(line, { tenant, space }, appendedAt)
}

const say = (host: Host, lines: readonly Line[]) => append(host, lines.map(utterance))

async function withRules<T>(t: TestContext, rules: string, work: (host: Host, dir: string) => Promise<T>): Promise<T> {
  const dir = await folder(t)
  return withHost(dir, (host) => work(host, dir), { LOOMLOG_RETENTION: rules, LOOMLOG_PARTITIONS: '1' })
}

/** Runs the worker while `work` waits. */
async function whileForgetting(
  host: Host,
  { now, onNews = () => {} }: { readonly now: () => number; readonly onNews?: (line: string) => void },
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const news: string[] = []
  const note = (line: string) => {
    news.push(line)
    onNews(line)
  }
  const stop = new AbortController()
  const options = { signal: stop.signal, logger: { info: note, warn: note }, now, onError: assert.fail }
  const worker = await startForgettings(host, options as Parameters<typeof startForgettings>[1])
  try {
    await work()
  } finally {
    stop.abort()
    await worker.close()
  }
  return news
}

async function idsIn(host: Host, space: string): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const records of host.log.read({ topic: 'utterances', until: 'end' }))
    for (const { key, value } of records) {
      const event = await host.codec.decode(value)
      if (key === space) ids.push(event.type === 'UtteranceAppended' ? event.id : event.type)
    }
  return ids
}

/** Each space has this number of forgettings, and all of them are certified. */
async function certified(host: Host, counts: { readonly [space: string]: number }): Promise<void> {
  await eventually(async () => {
    for (const [space, count] of Object.entries(counts)) {
      const states: readonly ForgettingState[] = await readForgettings(space, host)
      assert.deepEqual(
        states.map(({ status }) => status),
        Array.from({ length: count }, () => 'certified'),
        space,
      )
    }
  }, patienceMs)
}

/** Two rounds of the worker. */
const rounds = () => new Promise((resolve) => setTimeout(resolve, 2_500))

test('each space forgets what its rule keeps no longer, by the time of the append, and the certificate names the rule', async (t) => {
  await withRules(t, '400d,acme/*=30d,acme/legal=never', async (host) => {
    await say(host, [
      { space: 'acme/home', id: 'old', appendedAt: daysAgo(31) },
      { space: 'acme/home', id: 'postdated', appendedAt: daysAgo(31), at: daysAgo(-900) },
      { space: 'acme/home', id: 'limit', appendedAt: daysAgo(30) },
      { space: 'acme/home', id: 'imported', appendedAt: daysAgo(1), at: daysAgo(900) },
      { space: 'acme/legal', id: 'kept', appendedAt: daysAgo(900) },
      { space: 'other/home', id: 'older', appendedAt: daysAgo(401) },
      { space: 'other/young', id: 'young', appendedAt: daysAgo(399) },
    ])
    const found = await expiredSpaces(host, { now: today, partitions: null })
    assert.deepEqual(
      found.map(({ tenant, space, utterances }) => `${tenant}/${space} ${utterances}`),
      ['acme/home 2', 'other/home 1'],
    )
    const news = await whileForgetting(host, { now: () => today }, async () => {
      await certified(host, { 'acme/home': 1, 'other/home': 1 })
      await rounds()
    })
    assert.deepEqual(await idsIn(host, 'acme/home'), ['SubjectForgotten', 'limit', 'imported'])
    assert.deepEqual(await idsIn(host, 'other/home'), ['SubjectForgotten'])
    assert.deepEqual(await idsIn(host, 'acme/legal'), ['kept'])
    assert.deepEqual(await idsIn(host, 'other/young'), ['young'])
    for (const [space, principal] of [
      ['acme/home', 'retention:acme/*=30d'],
      ['other/home', 'retention:400d'],
    ] as const) {
      const [state] = await readForgettings(space, host)
      assert.equal(state && signedCertificate(state)?.principal, principal)
    }
    assert.match(news.join('\n'), /retention acme\/\*=30d: forgetting [0-9a-f]{32} is requested in acme\/home/)
  })
})

test('a space forgets once a day, also where several processes begin, and again on the next day with something to forget', async (t) => {
  await withRules(t, '30d', async (host, dir) => {
    await say(host, [
      { space: 'acme/home', id: 'first', appendedAt: daysAgo(31) },
      { space: 'acme/home', id: 'second', appendedAt: daysAgo(30) },
    ])
    await whileForgetting(host, { now: () => today }, () => certified(host, { 'acme/home': 1 }))
    const late = today + dayMs - 1
    const other = await openHost(configFrom({ ...settings(dir), LOOMLOG_RETENTION: '30d', LOOMLOG_PARTITIONS: '1' }))
    try {
      await Promise.all([host, other].map((each) => whileForgetting(each, { now: () => late }, rounds)))
      await certified(host, { 'acme/home': 1 })
      assert.deepEqual(await idsIn(host, 'acme/home'), ['SubjectForgotten', 'second'])
      let now = late
      await whileForgetting(other, { now: () => now }, async () => {
        await rounds()
        now = late + 1
        await certified(host, { 'acme/home': 2 })
      })
      assert.deepEqual(await idsIn(host, 'acme/home'), ['SubjectForgotten'])
      await whileForgetting(other, { now: () => today + 40 * dayMs }, rounds)
      await certified(host, { 'acme/home': 2 })
    } finally {
      await other.close()
    }
  })
})

test('a clock that goes far ahead at once makes no space forget', async (t) => {
  await withRules(t, '30d', async (host) => {
    await say(host, [{ space: 'acme/home', id: 'young', appendedAt: today }])
    let now = today
    const news = await whileForgetting(host, { now: () => now }, async () => {
      await rounds()
      now = today + 400 * dayMs
      await rounds()
    })
    assert.match(news.join('\n'), /the clock went ahead by 9600 hours/)
    assert.deepEqual(await idsIn(host, 'acme/home'), ['young'])
  })
})

test('spaces forget one after the other, and a request of a person comes between them', async (t) => {
  await withRules(t, '30d', async (host) => {
    const spaces = ['acme/a', 'acme/b', 'acme/c']
    await say(
      host,
      spaces.map((space) => ({ space, id: 'old', appendedAt: daysAgo(31) })),
    )
    await say(host, [{ space: 'acme/young', id: 'young', appendedAt: today }])
    const request = { tenant: 'acme', space: 'young', selection: { ...noCriteria, everything: true }, by: 'Ines' }
    let isAsked = false
    const onNews = (line: string) => {
      if (!isAsked && /requested in acme\/a/.test(line)) void appendRequest({ ...request, principal: null }, host)
      isAsked = true
    }
    const counts = Object.fromEntries([...spaces, 'acme/young'].map((space) => [space, 1]))
    await whileForgetting(host, { now: () => today, onNews }, () => certified(host, counts))
    const steps: string[] = []
    for await (const records of host.log.read({ topic: forgettingsTopic, until: 'end' }))
      for (const { value } of records) {
        const event = (await host.codec.decode(value)) as LoomEvent
        const isStep = event.type === 'ForgettingStatusChanged' && /requested|certified/.test(event.status)
        if (isStep) steps.push(`${event.space} ${event.status}`)
      }
    const inTurn = (space: string) => [`${space} requested`, `${space} certified`]
    assert.deepEqual(
      steps.filter((step) => !step.startsWith('young')),
      ['a', 'b', 'c'].flatMap(inTurn),
    )
    assert.ok(steps.indexOf('young certified') < steps.indexOf('b requested'), steps.join(', '))
  })
})

test('without a rule nothing is forgotten, however old it is', async (t) => {
  await withRules(t, '', async (host) => {
    await say(host, [{ space: 'acme/home', id: 'old', appendedAt: 1 }])
    await whileForgetting(host, { now: () => today }, rounds)
    assert.deepEqual(await idsIn(host, 'acme/home'), ['old'])
  })
})

test('a log that can forget nothing refuses rules when a process starts', async (t) => {
  await withRules(t, '30d', async (host) => {
    const keeping = { ...host, log: { ...host.log, erasesRecords: false, sealing: null } } as Host
    const refusal = { code: 'config-invalid', message: /not encrypted keeps its records/ }
    await assert.rejects(whileForgetting(keeping, { now: () => today }, rounds), refusal)
  })
})

test('a generation that would keep the memories stops retention for the day, with its reason, and no worker', async (t) => {
  await withRules(t, '30d', async (host) => {
    await say(host, [{ space: 'acme/home', id: 'old', appendedAt: daysAgo(31) }])
    const topics = async () => {
      throw new LoomlogError('generation-refused', 'generation g is paused and keeps memories')
    }
    const news = await whileForgetting({ ...host, log: { ...host.log, topics } }, { now: () => today }, rounds)
    assert.deepEqual(news, ['retention 30d forgets nothing today: generation g is paused and keeps memories'])
    assert.deepEqual(await readForgettings('acme/home', host), [])
  })
})
