import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { BoxSealed, LinesRetracted } from '@loomlog/schemas/events'
import { promises } from './processor.ts'

const monday = Date.UTC(2026, 2, 2, 9)
const envelope = {
  tenant: 't',
  space: 's',
  seq: 1,
  ordinal: 0,
  knownAt: monday,
  conversation: 'c',
  lineage: { derivation: 'test', method: 'rules', causes: ['cause'], completions: [] },
} as const
type Line = readonly [speaker: string, text: string]

function box(...lines: readonly Line[]): BoxSealed {
  const utterances = lines.map(([speaker, text], seq) => {
    return { id: `u${seq}`, seq, speaker, role: 'human' as const, at: monday, text, attachments: [] }
  })
  const about = { cut: 'pause', topic: '', keywords: [], startedAt: monday, endedAt: monday, keyId: null } as const
  return { type: 'BoxSealed', id: 'box', ...envelope, ...about, utterances }
}

async function made(...lines: readonly Line[]) {
  const events = await harness(promises).give(box(...lines))
  return events.flatMap((event) => (event.type === 'PromiseMade' ? [event] : []))
}

test('a commitment is a promise with promiser, action, addressee, deadline and utterance', async () => {
  const [promise, ...more] = await made(['Ben', 'Where is it?'], ['Ann', "Sure, I'll send you the deck by Friday."])
  assert.equal(promise?.text, 'Ann promised to send Ben the deck by 6 March 2026.')
  assert.deepEqual([promise.promiser, promise.to, promise.sources, promise.madeAt], ['Ann', 'Ben', ['u1'], monday])
  const friday = { from: Date.UTC(2026, 2, 6), to: Date.UTC(2026, 2, 7), text: '6 March 2026' }
  assert.deepEqual([promise.due, more], [friday, []])
})

test('commitments are found in each of their forms', async () => {
  const said = async (text: string) => (await made(['Ben', 'Hello.'], ['Ann', text])).map((promise) => promise.text)
  assert.deepEqual(await said('I promise to water your plants.'), ["Ann promised to water Ben's plants."])
  assert.deepEqual(await said('I promise you I will call the landlord.'), ['Ann promised to call the landlord.'])
  assert.deepEqual(await said("OK. I'm going to book my flight tomorrow!"), [
    "Ann promised to book Ann's flight on 3 March 2026.",
  ])
  assert.deepEqual(await said('Great, I’ll bring the keys. And I will fix the bike.'), [
    'Ann promised to bring the keys.',
    'Ann promised to fix the bike.',
  ])
})

test('the addressee is the person who is named, or the only other participant', async () => {
  const toWhom = async (text: string) => (await made(['Ben', 'Hi.'], ['Cem', 'Hi.'], ['Ann', text]))[0]?.to
  assert.equal(await toWhom("Cem, I'll send you the deck."), 'Cem')
  assert.equal(await toWhom("I'll send you the deck, Ben."), 'Ben')
  assert.equal(await toWhom("I'll show Cem the flat."), 'Cem')
  assert.equal(await toWhom("I'll send you the deck."), null)
})

test('questions, conditions, negations, hedges, reports and predictions are no promises', async () => {
  const none = [
    "Will I send it? I'll send it tomorrow?",
    "If it rains, I'll stay. I'll come if I can. I'll pay unless you do.",
    "I won't tell anyone. I'll never sell it. I will not go.",
    "I'll probably come. Maybe I'll call.",
    "I promised to call. I said I'll call. He says I'll call. I would send it.",
    "I'll be late. I'll miss you. I will have to think. I'm going to need a bigger boat.",
    "You'll love it. We talked about the deck.",
  ]
  for (const text of none) assert.deepEqual(await made(['Ben', 'Hello.'], ['Ann', text]), [], text)
})

test('an undone utterance takes its promises with it', async () => {
  const { give } = harness(promises)
  const [promise] = await give(box(['Ann', "I'll bring the keys."], ['Ben', "I'll cook."]))
  const lines: LinesRetracted = {
    type: 'LinesRetracted',
    id: 'undo',
    ...envelope,
    box: 'box',
    utterances: ['u0'],
    left: 1,
  }
  const [retraction, ...more] = await give(lines)
  assert.ok(retraction?.type === 'PromiseRetracted')
  assert.deepEqual([retraction.promise, more, await give(lines)], [promise?.id, [], []])
})

test('a model may answer instead: an invented line is dropped, and so is an invalid deadline', async () => {
  const due = { from: 'soon', to: 'later', text: 'soon' }
  const answer = {
    promises: [
      { line: 'u9', action: 'fly', to: null, due: null },
      { line: 'u1', action: 'call', to: 'Ben', due },
    ],
  }
  const { give } = harness(promises, { answers: { 'find-promises': () => answer } })
  const events = await give(box(['Ann', 'You can count on me.']))
  assert.deepEqual(
    events.map((event) => event.type === 'PromiseMade' && [event.text, event.due, event.lineage.method]),
    [['Ann promised to call.', null, 'scripted']],
  )
})
