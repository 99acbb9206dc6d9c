import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextBlock } from './context/context-block.ts'
import { memory, row, utterance } from './fixture.ts'
import { recall } from './recall.ts'

const home = 'acme/home'
/** The most that a message may have; a longer text is split into several (`packages/intake/formats.ts`). */
const maxTextBytes = 65_536
const unit = 'The team reviewed the plan for the harbour and the boat. Then it painted the deck until noon. '
const half = unit.repeat(Math.floor((maxTextBytes / 2 - 100) / unit.length))
const long = `${half}The vault code of Halvorsen is 7741. ${half}`
const others = Array.from({ length: 200 }, (_, n) =>
  n % 20 === 0 ? `The code of door ${n} is in the vault.` : `We met at berth ${n} about the market.`,
)

const cases = [
  { place: 'view', among: 10, budgetTokens: 250 },
  { place: 'view', among: 200, budgetTokens: 1_000 },
  { place: 'log tail', among: 10, budgetTokens: 250 },
  { place: 'log tail', among: 200, budgetTokens: 1_000 },
] as const

for (const { place, among, budgetTokens } of cases) {
  test(`a fact in the middle of a message of the largest size is shown within ${budgetTokens} tokens, from the ${place}, among ${among} others`, async (t) => {
    const stored = await memory(t)
    const rows = others.slice(0, among).map((text, n) => row(home, `u${n}`, `Ada: ${text}`, { at: n, offset: n }))
    const inView = place === 'view' ? [row(home, 'long', `Ada: ${long}`, { at: among, offset: among })] : []
    await stored.write('utterances', await Promise.all([...rows, ...inView]))
    if (place === 'log tail') await stored.append(utterance(home, 'long', long))
    const request = { space: home, query: "What is Halvorsen's vault code?", budgetTokens }
    for (const { text, tokens } of [await recall(request, stored), await contextBlock(request, stored)]) {
      assert.match(text, /The vault code of Halvorsen is 7741\./)
      assert.ok(tokens <= budgetTokens, `${tokens} tokens`)
    }
  })
}
