/**
 * The forgetting of a person in a memory with everything in it: corrections, generations, webhooks and subscribers. The
 * rest is whole: every copy, replay and export of it gives the same memory, and none has a word of the person.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { connect, type Memory } from '@loomlog/client'
import type { Host } from '@loomlog/host/open'
import { servingOf } from '../../packages/app/generations/live.ts'
import { eventually } from '../eventually.ts'
import { copyLogOnly } from './fixture.ts'
import { append, derive, difference, equal, folder, memoryOf, withHost } from './forgetting-fixture.ts'
import { loomlog } from './loomlog.ts'
import { keptEvents } from './random-forgetting.ts'
import { type ServedMemory, servedMemory } from './served-memory.ts'

const home = '/v1/spaces/home'
const canary = /canary|mallory/i
const prompts = { other: 'List the facts in rows: labels, kind, time, subject | rest.' }
const stated = ['live in Porto', 'own a boat', 'work as a cook', 'play chess']

/** Facts after the forgetting: Maya's statements with her own corrections, and none of Mallory. */
const expectedFacts = [
  'Maya live in Porto, home.',
  'Maya lives in Lisbon.',
  'Maya own a boat, home.',
  'Maya play chess, home.',
  'Maya speaks Danish.',
  'Maya work as a cook, home.',
  'Maya work as a cook, work.',
]

async function twoSpeakers({ post, settle }: ServedMemory): Promise<void> {
  const lines = stated.flatMap((words, n) =>
    ['work', 'home'].flatMap((conversation, k) => {
      const at = (second: number) => `2026-03-01T09:${10 + n}:${10 + 10 * k + second}Z`
      const place = (speaker: string) => ({ conversation, speaker, id: `${speaker}-${words}-${conversation}` })
      return [
        { ...place('Maya'), at: at(0), text: `I ${words}, ${conversation}.` },
        { ...place('Mallory'), at: at(1), text: `I ${words} in Canarytown, ${conversation}.` },
      ]
    }),
  )
  await post(`${home}/utterances`, lines)
  for (const conversation of ['work', 'home']) await post(`${home}/conversations/${conversation}/end`, {})
  await settle('home')
}

interface FactPage {
  readonly memories: readonly { readonly id: string; readonly text: string }[]
}

async function listed({ get }: ServedMemory, kind: string): Promise<FactPage['memories']> {
  return (await get<FactPage>(`${home}/memories?kind=${kind}&limit=200`)).memories
}

/** Corrections of both speakers, each of their own facts and of the other's. */
async function correct(memory: ServedMemory): Promise<void> {
  const facts = await listed(memory, 'fact')
  const of = (words: string) => facts.find((fact) => fact.text.includes(words))?.id ?? assert.fail(words)
  const ask = (body: object) => memory.post(`${home}/corrections`, body)
  await ask({ action: 'replace', memory: of('Maya live in Porto, work'), text: 'Maya lives in Lisbon.', by: 'Maya' })
  await ask({ action: 'add', text: 'Maya speaks Danish.', by: 'Maya' })
  await ask({ action: 'retract', memory: of('Maya own a boat, work'), by: 'Maya' })
  await ask({ action: 'replace', memory: of('cook in Canarytown, work'), text: 'Mallory bakes canaries.', by: 'Maya' })
  await ask({ action: 'replace', memory: of('Maya work as a cook, work'), text: 'Maya sells canaries.', by: 'Mallory' })
  await ask({ action: 'add', text: 'Mallory speaks Canarian.', by: 'Mallory' })
  const utterances = ['Maya-play chess-work', 'Mallory-play chess-work']
  await memory.post(`${home}/retractions`, { utterances, by: 'Maya' })
  await memory.settle('home')
}

/** One generation that was promoted, and one from another prompt. */
async function twoGenerations({ post }: ServedMemory): Promise<void> {
  await post('/v1/generations', { set: ['topic-loom.maxUtterances=4'], name: 'shorter' })
  await eventually(async () => void (await post('/v1/generations/shorter/promote', {})), 20_000)
  await post('/v1/generations', { set: ['fact-extractor.prompt=other'], prompts, name: 'prompted' })
  const compared = { before: 'live', after: 'prompted' }
  await eventually(async () => {
    const { behind } = await post<{ behind: object }>('/v1/generations/compare', compared)
    assert.deepEqual(behind, { before: null, after: null })
  }, 20_000)
}

/** A subscriber with a table of memories, which empties it at a forgetting. */
class TableSubscriber {
  readonly #memory: Memory
  readonly table = new Map<string, string>()
  #after = '-1'

  constructor(memory: Memory) {
    this.#memory = memory
  }

  async read(): Promise<void> {
    for await (const event of this.#memory.space('home').events({ after: this.#after, follow: false })) {
      this.#after = event.offset
      const { type, subject = '', change } = event as { type: string; subject?: string; change?: string }
      if (type === 'loomlog.subject.forgotten') this.table.clear()
      else if (change === 'inserted') this.table.set(subject, JSON.stringify(event))
      else if (change === 'retracted') this.table.delete(subject)
    }
  }
}

async function apiIds(memory: ServedMemory): Promise<readonly string[]> {
  const lists = await Promise.all(['box', 'fact', 'link', 'entry', 'document'].map((kind) => listed(memory, kind)))
  return lists.flatMap((list) => list.map(({ id }) => id)).toSorted()
}

/** A receiver that refuses everything until it is mended. */
async function receiver(t: TestContext) {
  const received: string[] = []
  const state = { isMended: false, refused: 0 }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (state.isMended) received.push(body)
    else state.refused += 1
    response.writeHead(state.isMended ? 204 : 500).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, state }
}

test('after a person is forgotten, everything else is whole, in every copy', async (t) => {
  const memory = await servedMemory(t, { forgettings: 'carried out' })
  const { environment, dir, get, post, settle } = memory
  const run = async (args: readonly string[], settings: { readonly [name: string]: string } = {}) => {
    const { code, stdout, stderr } = await loomlog(args, { ...environment, ...settings })
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  const target = await receiver(t)
  const types = ['loomlog.fact.recorded', 'loomlog.subject.forgotten']
  const webhook = await post<{ id: string }>('/v1/webhooks', { url: target.url, from: 'beginning', types })
  await twoSpeakers(memory)
  await correct(memory)
  await twoGenerations(memory)
  await settle('home')
  const client = connect({ url: memory.url })
  t.after(() => client.close())
  const [steady, late] = [new TableSubscriber(client), new TableSubscriber(client)]
  for (const subscriber of [steady, late])
    await eventually(async () => {
      await subscriber.read()
      assert.deepEqual([...subscriber.table.keys()].toSorted(), await apiIds(memory))
    }, 20_000)
  assert.match(JSON.stringify([...late.table.values()]), canary)
  await eventually(() => assert.ok(target.state.refused > 0), 20_000)
  const before = join(dir, 'before')
  await run(['backup', before])

  const { id } = await post<{ id: string }>(`${home}/forgettings`, { speaker: 'Mallory', by: 'Maya', preview: false })
  let certificate = ''
  await eventually(async () => {
    await steady.read()
    const found = await get<{ certificate: object | null }>(`${home}/forgettings/${id}`)
    assert.ok(found.certificate)
    certificate = join(dir, 'certificate.json')
    await writeFile(certificate, JSON.stringify(found.certificate))
  }, 40_000)
  await settle('home')

  await t.test('memories and corrections of others hold, and nothing of the person is there', async () => {
    assert.deepEqual((await listed(memory, 'fact')).map((fact) => fact.text).toSorted(), expectedFacts)
    for (const kind of ['utterance', 'box', 'fact', 'entry', 'document'])
      assert.doesNotMatch(JSON.stringify(await listed(memory, kind)), canary)
  })
  await t.test('tables of subscribers equal the memory, also of one that was behind', async () => {
    for (const subscriber of [steady, late])
      await eventually(async () => {
        await subscriber.read()
        assert.deepEqual([...subscriber.table.keys()].toSorted(), await apiIds(memory))
      }, 20_000)
    for (const { table } of [steady, late]) assert.doesNotMatch(JSON.stringify([...table.values()]), canary)
  })
  await t.test('a webhook that was behind posts the forgetting, and nothing from before it', async () => {
    target.state.isMended = true
    for (const change of ['pause', 'resume']) await post(`/v1/webhooks/${webhook.id}/${change}`, {})
    await eventually(() => assert.match(target.received.at(-1) ?? '', /Lisbon|Danish|Maya/), 20_000)
    assert.match(target.received[0] ?? '', /loomlog.subject.forgotten/)
    assert.doesNotMatch(target.received.join('\n'), canary)
  })
  await t.test('generations are planned, compared, promoted and rolled back', async () => {
    const asked = { set: ['fact-extractor.prompt=other'], prompts: { other: `${prompts.other} All of them.` } }
    await post('/v1/generations/plan', asked)
    const compared = await post<{ counts: { fact: object } }>('/v1/generations/compare', {
      before: 'live',
      after: 'prompted',
    })
    assert.deepEqual(compared.counts.fact, { same: expectedFacts.length, added: 0, removed: 0, reworded: 0, moved: 0 })
    for (const change of ['prompted/promote', 'rollback']) {
      await post(`/v1/generations/${change}`, {})
      await settle('home')
      assert.deepEqual((await listed(memory, 'fact')).map((fact) => fact.text).toSorted(), expectedFacts)
    }
  })
  await memory.close()
  const log = join(dir, 'log')
  const dump = await run(['dump'])
  assert.doesNotMatch(dump, canary)
  /** Another log with the same memory, in which the certificate is valid. */
  async function assertSameIn(folder: string, settings: { readonly [name: string]: string } = {}): Promise<void> {
    await withHost(folder, derive, { ...environment, LOOMLOG_DIR: folder, ...settings })
    assert.equal(await run(['dump', '--dir', folder], settings), dump)
    assert.match(await run(['forget', 'verify', certificate, '--dir', folder], settings), /none of the forgotten/)
  }

  await t.test('the views match the log, and a replay from the log alone gives the same memory', async () => {
    await run(['verify'])
    await run(['forget', 'verify', certificate])
    const replay = await folder(t)
    await copyLogOnly(log, replay)
    memory.endpoint.reset()
    await assertSameIn(replay)
    assert.equal(memory.endpoint.calls().chat, 0, 'no answer is paid for again')
  })
  await t.test('it is the memory of a space that never had the person, and an archive gives it too', async () => {
    const [fresh, imported, archive] = [await folder(t), await folder(t), join(dir, 'home.gz')]
    await run(['export', '--as', 'archive', '--space', 'home', '--to', archive])
    await run(['ingest', archive, '--dir', imported])
    const generation = (await run(['generation', 'list', '--json'])).match(/"id":"(\w+)"/)?.[1] ?? ''
    const linesOf = (at: string, restarted: readonly string[]) =>
      withHost(at, async (host) => memoryOf(host, await servingOf(host, { generation }), restarted), {
        ...environment,
        LOOMLOG_DIR: at,
      })
    const kept = await withHost(log, (host) => keptEvents(host, { tenant: 'default', space: 'home' }), environment)
    const appended = (host: Host) => append(host, kept).then(() => derive(host))
    await withHost(fresh, appended, { ...environment, LOOMLOG_DIR: fresh })
    const expected = await linesOf(fresh, [])
    assert.ok(expected.rows.length > 0)
    for (const [at, restarted] of [
      [log, ['default/home']],
      [imported, []],
    ] as const) {
      const found = await linesOf(at, restarted)
      assert.deepEqual(difference(found.events, expected.events), equal, at)
      assert.deepEqual(difference(found.rows, expected.rows), equal, at)
    }
  })
  await t.test('a backup and a copy under another key give the same memory', async () => {
    const [backup, restored, copy] = [join(dir, 'backup'), join(dir, 'restored'), join(dir, 'copy')]
    await run(['backup', backup])
    await run(['restore', backup, '--dir', restored])
    await assertSameIn(restored)
    await run(['log', 'copy', '--from', `sqlite:${log}`, '--to', `sqlite:${copy}`])
    await assertSameIn(copy)
    const key = join(dir, 'key')
    await writeFile(key, Buffer.alloc(32, 7).toString('base64'))
    await run(['encryption', 'rekey', '--key-file', key, '--dir', copy])
    await assertSameIn(copy, { LOOMLOG_ENCRYPTION_KEY_FILE: key })
  })
  await t.test(
    'a backup from before has the person again, and the check of the certificate says how to forget',
    async () => {
      const restored = join(dir, 'restored-before')
      await run(['restore', before, '--dir', restored])
      const verify = () => loomlog(['forget', 'verify', certificate, '--dir', restored], environment)
      const found = await verify()
      assert.equal(found.code, 1)
      const [, command = assert.fail(found.stdout)] = /^ {2}loomlog (.+)/m.exec(found.stdout) ?? []
      const words = Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '')
      assert.match(await run(words), /this is a preview/)
      await run([...words, '--yes'])
      assert.match((await verify()).stdout, /none of the forgotten utterances is in the log/)
      assert.doesNotMatch(await run(['dump', '--dir', restored]), canary)
    },
  )
})
