/** `loomlog forget --every-space`: a whole tenant, killed and continued, and a person in every space. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { append, folder, settings, withHost } from '../pipeline/forgetting-fixture.ts'
import { type Environment, loomlog, startProgram } from '../pipeline/loomlog.ts'

const places = ['acme/home', 'acme/garden', 'acme2/home']

function line(place: string, speaker: string) {
  const [tenant = '', space = ''] = place.split('/')
  const words = { conversation: 'c', speaker, at: '2026-03-01T09:00:00Z', text: `${speaker} lives in Canarytown.` }
  return utteranceFrom({ id: `${speaker}-1`, ...words }, { tenant, space }, Date.now())
}

interface ForgottenSpace {
  readonly space: string
  readonly id: string | null
  readonly utterances: number
  readonly status: string | null
  readonly certificate: { readonly id: string; readonly space: string; readonly kept: number } | null
}

async function memoryWith(t: Parameters<typeof folder>[0], speakers: readonly string[]) {
  const environment = settings(await folder(t))
  const events = places.flatMap((place) => speakers.map((speaker) => line(place, speaker)))
  await withHost(String(environment.LOOMLOG_DIR), (host) => append(host, events))
  return environment
}

async function forget(args: readonly string[], environment: Environment) {
  const { code, stdout, stderr } = await loomlog(['forget', '--every-space', ...args, '--json'], environment)
  return { code, stderr, spaces: JSON.parse(stdout).spaces as readonly ForgottenSpace[] }
}

async function speakersIn(environment: Environment): Promise<readonly string[]> {
  const { stdout } = await loomlog(['tail', 'utterances', '--json'], environment)
  const events = stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each))
  return events.flatMap(({ event = null, ...own }) => {
    const { tenant, space, speaker } = event ?? own
    return speaker === undefined ? [] : [`${tenant}/${space} ${speaker}`]
  })
}

test('a tenant is forgotten space by space, and the same command continues after a kill, with every certificate', async (t) => {
  const environment = await memoryWith(t, ['Maya'])
  const whole = ['--tenant', 'acme', '--everything']
  const preview = await forget(whole, environment)
  assert.deepEqual(
    preview.spaces.map(({ space, utterances, id }) => [space, utterances, id]),
    [
      ['garden', 1, null],
      ['home', 1, null],
    ],
  )
  for (const point of ['forget.after-request', 'forget.after-rewrite', 'forget.after-erase']) {
    const args = ['forget', '--every-space', ...whole, '--yes']
    const killed = await startProgram(args, { ...environment, LOOMLOG_CRASH_AT: point }).finished
    assert.equal(killed.signal, 'SIGKILL', `${point}: ${killed.stderr}`)
  }
  const continued = await forget([...whole, '--yes'], environment)
  assert.equal(continued.code, 0, continued.stderr)
  const again = await forget([...whole, '--yes'], environment)
  assert.equal(again.code, 0)
  for (const { spaces } of [continued, again])
    assert.deepEqual(
      spaces.map(({ space, status, certificate }) => [space, status, certificate?.space, certificate?.kept]),
      [
        ['garden', 'certified', 'garden', 0],
        ['home', 'certified', 'home', 0],
      ],
    )
  assert.deepEqual(
    again.spaces.map(({ id }) => id),
    continued.spaces.map(({ id }) => id),
    'nothing is forgotten twice',
  )
  await withHost(String(environment.LOOMLOG_DIR), async (host) => {
    for (const space of ['acme/garden', 'acme/home'])
      assert.equal((await readForgettings(space, host)).length, 1, space)
  })
  assert.deepEqual(await speakersIn(environment), ['acme2/home Maya'])
})

test('a person is forgotten in every space of one tenant', async (t) => {
  const environment = await memoryWith(t, ['Maya', 'Mallory'])
  const { code, spaces } = await forget(['--tenant', 'acme', '--speaker', 'mallory', '--yes'], environment)
  assert.equal(code, 0)
  assert.deepEqual(
    spaces.map(({ space, utterances, certificate }) => [space, utterances, certificate?.kept]),
    [
      ['garden', 1, 1],
      ['home', 1, 1],
    ],
  )
  assert.deepEqual((await speakersIn(environment)).toSorted(), [
    'acme/garden Maya',
    'acme/home Maya',
    'acme2/home Mallory',
    'acme2/home Maya',
  ])
  const nothing = await loomlog(['forget', '--every-space', '--tenant', 'acme', '--speaker', 'Mallory'], environment)
  assert.equal(nothing.code, 2)
  assert.match(nothing.stdout, /0 utterances in 2 spaces of acme/)
})

test('a request in every space that names one space, a server, no filter or no tenant is refused', async (t) => {
  const environment = await memoryWith(t, ['Maya'])
  for (const [args, why] of [
    [['--tenant', 'acme', '--space', 'home', '--everything'], /--space and --every-space: expected one of them/],
    [['--tenant', 'acme', '--utterance', 'Maya-1'], /--utterance and --every-space: expected one of them/],
    [['--tenant', 'acme', '--everything', '--url', 'http://127.0.0.1:1'], /--every-space works on a log/],
    [['--tenant', 'acme'], /nothing is selected/],
    [['--tenant', 'acm', '--everything', '--yes'], /tenant acm has no utterances/],
  ] as const) {
    const refused = await loomlog(['forget', '--every-space', ...args], environment)
    assert.equal(refused.code, 2, args.join(' '))
    assert.match(refused.stderr, why)
  }
  const args = ['forget', '--every-space', '--tenant', 'acme', '--everything', '--yes']
  const onServer = await loomlog(args, { ...environment, LOOMLOG_URL: 'http://127.0.0.1:1' })
  assert.match(onServer.stderr, /--every-space works on a log/)
  assert.equal((await speakersIn(environment)).length, places.length)
})
