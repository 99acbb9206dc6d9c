import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { openAiToolModel, type ToolModel } from '@loomlog/models/tool-model'
import type { Json } from '@loomlog/schemas/ids'
import { memory, row, utterance } from '../fixture.ts'
import { maxCalls, maxShownChars, maxSteps, searchWithTools } from './search-with-tools.ts'

const space = 'acme/home'
const request = { query: 'Where is the zebra?', space }

/** A model that follows a script, turn by turn. */
async function searching(t: Parameters<typeof memory>[0], script: (turn: number) => Json) {
  const place = await memory(t)
  await place.append(utterance(space, 'u1', 'The zebra is in Porto'))
  await place.write('facts', [await row(space, 'f1', 'The zebra sleeps.'), await row('acme/other', 'f2', 'A zebra.')])
  const bodies: string[] = []
  const endpoint = await startFakeEndpoint({
    answer({ body }) {
      bodies.push(JSON.stringify(body))
      return script(bodies.length)
    },
  })
  t.after(() => endpoint.close())
  const model = openAiToolModel({ baseUrl: endpoint.baseUrl, apiKey: '', model: 'fake' })
  return { bodies, search: () => searchWithTools(request, place, model) }
}

test('a model searches with the tools, reads their results, and names the evidence', async (t) => {
  const calls: readonly Json[] = [
    [{ name: 'lexical_search', input: { query: 'zebra' } }],
    [
      { name: 'exact_pattern', input: 'no json' },
      { name: 'no_tool', input: {} },
    ],
    [
      { name: 'finish', input: { evidence: ['u1', 'f1', 'u1', 'f2', 'made-up'] } },
      { name: 'browse_ids', input: {} },
    ],
  ]
  const { search, bodies } = await searching(t, (turn) => calls[turn - 1] ?? [])
  const { items, steps, stopped } = await search()
  assert.deepEqual([items.map((item) => item.id), stopped], [['u1', 'f1'], 'finished'])
  assert.deepEqual(
    steps.map((step) => [step.tool, step.shown]),
    [
      ['lexical_search', 2],
      ['exact_pattern', 0],
      ['no_tool', 0],
      ['browse_ids', 0],
    ],
  )
  assert.match(bodies[1] ?? '', /The zebra is in Porto/)
  assert.match(bodies[2] ?? '', /no JSON object.*there is no tool no_tool/)
})

test('a model that never ends is stopped, and all memories it saw are evidence; a model without calls finds nothing', async (t) => {
  const endless = await searching(t, () => [{ name: 'exact_pattern', input: { pattern: 'zebra' } }])
  const { items, steps, stopped } = await endless.search()
  assert.deepEqual([items.length, steps.length, stopped], [2, maxSteps, 'steps'])
  const idle = await searching(t, () => [])
  assert.deepEqual((await idle.search()).items, [])
})

test('a model that stops without naming evidence returns all memories it saw', async (t) => {
  const { search } = await searching(t, (turn) =>
    turn === 1 ? [{ name: 'lexical_search', input: { query: 'zebra' } }] : [],
  )
  const { items, stopped } = await search()
  assert.deepEqual([items.map(({ id }) => id).sort(), stopped], [['f1', 'u1'], 'unnamed'])
})

test('calls and characters of one turn are limited, and so are tokens that the endpoint does not count', async (t) => {
  const place = await memory(t)
  const long = 'zebra '.repeat(80)
  await place.write('facts', await Promise.all([...Array(60).keys()].map((n) => row(space, `f${n}`, `${n} ${long}`))))
  const sizes: number[] = []
  const calls = [...Array(60).keys()].map((n) => ({
    id: `c${n}`,
    name: 'lexical_search',
    input: '{"query": "zebra", "limit": 50}',
  }))
  const model: ToolModel = {
    name: 'greedy',
    async turn({ messages }) {
      sizes.push(JSON.stringify(messages).length)
      return { text: '', calls, tokens: 0 }
    },
  }
  const { steps, stopped } = await searchWithTools(request, place, model)
  assert.equal(stopped, 'tokens')
  assert.ok(sizes.length > 1 && sizes.length < 5, `${sizes.length} turns, each with all turns before it`)
  assert.equal(steps.length, maxCalls * sizes.length)
  assert.ok((sizes[1] ?? 0) < maxShownChars + 15_000, sizes.join())
  assert.ok(steps[1]?.shown !== undefined && steps[1].shown < 50, 'lines that were cut do not count as shown')
})

test('a search with tools is of one space as it is now, and refuses filters, times and modes', async (t) => {
  const place = await memory(t)
  const model = { name: 'never', turn: () => assert.fail() }
  for (const wrong of [
    { space: [space, 'acme/b'] },
    { filter: { from: 0 } },
    { exclude: ['u1'] },
    { excludeLast: [{ conversation: 'kitchen', count: 1 }] },
    { asOf: { knownAt: 5 } },
    { filter: { speakers: ['Ada'] } },
    { filter: { addedLater: true } as object },
    { mode: 'trace_event' },
    { kinds: ['fact'] },
    { understanding: 'model' },
    { after: { partition: 0, offset: 0, reach: 'raw' } },
    { maxWaitMs: 5 },
  ] as const) {
    const asked = searchWithTools({ ...request, ...wrong }, place, model)
    await assert.rejects(
      asked,
      (error) => isLoomlogError(error, 'input-invalid') && /one space as it is now/.test(error.message),
    )
  }
})

test('a search without a model is refused, and the error names the tools, which need none', async (t) => {
  const place = await memory(t)
  await assert.rejects(searchWithTools(request, place, null), (error) => {
    return isLoomlogError(error, 'input-invalid') && /needs a model.*tools work without one/.test(error.message)
  })
})
