import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { contextBlock } from '../context/context-block.ts'
import { memory, row, utterance } from '../fixture.ts'
import { textsToEmbed } from '../ranking/rank-utterances.ts'
import { recall } from '../recall.ts'
import { checkRequest } from '../request/request.ts'
import { findCandidates } from './candidates.ts'
import { maxNewest } from './tail-candidates.ts'

const home = 'acme/home'
const question = 'Which city am I living in?'
const axis = (at: number) => new Float32Array(8).map((_, n) => Number(n === at))

/** Questions and Porto have one meaning, and all else another, some way from it. */
const [asked, apart] = [axis(0), axis(1).with(0, 0.3)]
const meaningOf = (text: string) => (/\?|lives|Porto/.test(text) ? asked : apart)

/** A memory with an embedder of these two meanings, which keeps its texts. */
async function ofTwoMeanings(t: TestContext, { isFast }: { readonly isFast: boolean }) {
  const place = await memory(t)
  const embedded: string[] = []
  const embed = async (texts: readonly string[]) => {
    embedded.push(...texts)
    return texts.map(meaningOf)
  }
  return { ...place, embedded, embedder: { ...place.embedder, isFast, embed } }
}

type TestMemory = Awaited<ReturnType<typeof memory>>

async function candidatesOf(place: TestMemory, query = question) {
  const { scope } = checkRequest({ space: home, query })
  const vectors = await place.embedder.embed(textsToEmbed(query))
  const { candidates } = await findCandidates({ space: home, query, vectors, scope, withEvents: true }, place)
  return candidates.map(({ memory: { id } }) => id)
}

test('a message is found as soon as it is in the log, regardless of its words, in every form of the result', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'Porto is new to me.'))
  for (const budget of [{}, { budgetTokens: 500 }]) {
    const { items } = await recall({ space: home, query: question, ...budget }, place)
    assert.deepEqual(
      items.map(({ id }) => id),
      ['u1'],
    )
  }
  assert.match((await contextBlock({ space: home, query: question }, place)).text, /Porto/)
})

test('the log tail is ranked by meaning, as the same messages in a view', async (t) => {
  const said = (n: number) => (n === 0 ? 'I am in Porto.' : `It rains on Ada, ${n} times now.`)
  const at = (n: number) => n * 60_000
  const tail = await ofTwoMeanings(t, { isFast: true })
  for (let n = 0; n < 20; n += 1) await tail.append({ ...utterance(home, `u${n}`, said(n)), at: at(n) })
  const view = await ofTwoMeanings(t, { isFast: true })
  const rows = Array.from({ length: 20 }, (_, n) =>
    row(home, `u${n}`, `Ada: ${said(n)}`, { at: at(n), offset: n, vector: meaningOf(said(n)) }),
  )
  await view.write('utterances', await Promise.all(rows))
  for (const place of [tail, view]) {
    const { items } = await recall({ space: home, query: 'Where does Ada live?', limit: 1 }, place)
    assert.equal(items[0]?.id, 'u0', place === tail ? 'tail' : 'view')
  }
})

test('the newest are candidates up to a bound, and older ones by their words', async (t) => {
  const place = await memory(t)
  const count = maxNewest + 10
  for (let n = 0; n < count; n += 1) {
    await place.append(utterance(home, `u${n}`, n === 3 ? 'The city of Porto.' : `Zebra ${n}.`))
  }
  const ids = new Set(await candidatesOf(place))
  assert.equal(ids.size, maxNewest + 1)
  assert.ok(ids.has('u3') && !ids.has('u9') && ids.has('u10'))
})

test('a question without a meaning finds the log tail by its words alone, as it finds a view', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'The guitar 🎸 is new.'))
  await place.append(utterance(home, 'u2', 'So is the boat.'))
  const embedder = { ...place.embedder, embed: async (texts: readonly string[]) => texts.map(() => axis(9)) }
  assert.deepEqual(await candidatesOf({ ...place, embedder }, '🎸'), ['u1'])
})

test('an embedder that is not fast gets the newest 16 that share a word with the question, and no others', async (t) => {
  const place = await ofTwoMeanings(t, { isFast: false })
  for (let n = 0; n < 20; n += 1) await place.append(utterance(home, `city${n}`, `City ${n}.`))
  await place.append(utterance(home, 'last', 'Nothing of it.'))
  const ids = await candidatesOf(place)
  assert.equal(ids.length, 21)
  const ofQuestion = textsToEmbed(question).length
  assert.deepEqual(
    place.embedded.slice(ofQuestion),
    Array.from({ length: 16 }, (_, n) => `Ada: City ${n + 4}.`),
  )
})

test('a message from before a forgetting is not read from the log, and a kept one is', async (t) => {
  const place = await memory(t)
  const kept = utterance(home, 'u2', 'Porto is new to me.')
  await place.append(utterance(home, 'u1', 'Porto is old.'))
  await place.append(kept)
  const origin = { by: 'Ines', principal: null, keyId: null, at: 1, appendedAt: 1, subject: '', seq: null }
  await place.append({
    type: 'SubjectForgotten',
    id: 'f',
    tenant: 'acme',
    space: 'home',
    forgetting: 'f',
    kept: 1,
    ...origin,
  })
  await place.append(kept)
  assert.deepEqual(await candidatesOf(place), ['u2'])
})
