import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forgetTexts } from '@loomlog/text-caches'
import { memory, row, utterance } from './fixture.ts'
import { recall } from './recall.ts'

const home = 'acme/home'

test('recalls during and after a forgetting elsewhere find the same, in the same order, with the same scores', async (t) => {
  const place = await memory(t)
  const things = ['boat', 'engine', 'harbour', 'dentist', 'dog', 'wedding']
  const texts = Array.from({ length: 60 }, (_, n) => {
    return `The ${things[n % 6]} number ${n} belongs to the ${things[(n * 5 + 1) % 6]} in Porto`
  })
  const rows = await Promise.all(texts.map((text, n) => row(home, `f${n}`, text, { at: n })))
  await place.write('facts', rows)
  for (const [n, text] of texts.slice(0, 9).entries()) await place.append(utterance(home, `u${n}`, text))
  const ask = async (query: string) =>
    (await recall({ space: home, query, limit: 20 }, place)).items.map(({ id, score }) => ({ id, score }))
  const questions = ['Which dog belongs to the boat?', 'Where is the engine of the harbour?', 'dentist wedding']
  const before = await Promise.all(questions.map(ask))
  assert.ok(before.every(({ length }) => length > 5))
  const during = Promise.all(questions.map(ask))
  for (let at = 0; at < 12; at += 1) {
    forgetTexts()
    for (let turns = 0; turns < at; turns += 1) await turn()
  }
  assert.deepEqual(await during, before)
  assert.deepEqual(await Promise.all(questions.map(ask)), before)
})
