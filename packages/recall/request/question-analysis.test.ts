import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAiModel } from '@loomlog/models/chat'
import { type FakeRequest, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import type { Json } from '@loomlog/schemas/ids'
import { explain } from '../explain.ts'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'
import { analyseByRules, namesBeyondQuestion } from './question-analysis.ts'

const home = 'acme/home'
const query = 'Who looks after her pet?'
const nothing = { requires: [], queries: [], keywords: [], persons: [], entities: [], time: null, location: null }

async function understanding(t: Parameters<typeof memory>[0], reply: () => Json) {
  const seen: FakeRequest[] = []
  const endpoint = await startFakeEndpoint({
    answer(request) {
      seen.push(request)
      return reply()
    },
  })
  t.after(() => endpoint.close())
  const model = { ...openAiModel({ baseUrl: endpoint.baseUrl, apiKey: '', model: 'fake' }), parameters: {} }
  return { model, seen, endpoint }
}

test('rules read the kind of answer, persons, time and place from a question', () => {
  const asked = 'When did Melanie meet Acme Corp in Porto on 3 May 2023?'
  const { keywords, ...understood } = analyseByRules(asked)
  assert.deepEqual(understood, {
    by: 'rules',
    requires: ['time'],
    queries: [asked],
    persons: ['Melanie'],
    entities: ['Acme Corp'],
    time: 'on 3 May 2023',
    location: 'Porto',
    note: null,
  })
  assert.ok(keywords.includes('Porto'))
})

test('the queries of a model are searched too, a candidate gets its best score, and the names are searched', async (t) => {
  const place = await memory(t)
  const said = ['Her sitter is Ben.', 'Vacation is soon.', 'The cat is fed by a neighbour.', 'Rain again, Zoe.']
  await place.write(
    'utterances',
    await Promise.all(said.map((text, n) => row(home, `u${n}`, `Ada: ${text}`, { at: n }))),
  )
  await place.write('facts', [await row(home, 'f1', 'A neighbour feeds the cat.', { sources: ['u2'] })])
  const queries = ['A neighbour feeds the cat', ` ${query.toUpperCase()} `, 'Her sitter', 'too many']
  let reply: Json = { ...nothing, requires: ['the carer'], queries: queries.slice(0, 3), persons: ['Zoe'] }
  const { model, seen } = await understanding(t, () => reply)
  const asked = { space: home, query, understanding: 'model' } as const
  const options = { ...place, model }
  const reads = t.mock.method(place.log, 'read')
  const { items, understood } = await recall(asked, options)
  assert.equal(reads.mock.callCount(), 1, 'the tail is read once for all queries')
  assert.deepEqual(understood?.queries, [query, 'A neighbour feeds the cat', 'Her sitter'])
  assert.deepEqual([understood?.by, understood?.requires], ['openai:fake', ['the carer']])
  assert.match(JSON.stringify(seen[0]?.input), /Who looks after her pet/)
  const scoreOf = async (query: string) =>
    (await recall({ space: home, query }, place)).items.find(({ id }) => id === 'u2')?.score ?? 0
  const best = Math.max(await scoreOf(queries[0] ?? ''), await scoreOf(query), await scoreOf('Her sitter'))
  assert.ok((items.find(({ id }) => id === 'u2')?.score ?? 0) >= best)
  assert.ok(best > (await scoreOf(query)))
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length)
  const facts = await recall({ ...asked, kinds: ['fact'] }, options)
  assert.equal(facts.items.length, 1)
  // The model named Zoe, so her name is among the words of the search.
  reply = { ...nothing, persons: ['Zoe'] }
  const { candidates } = await explain(asked, options)
  const words = candidates.find(({ id }) => id === 'u3')?.contributions?.filter(({ part }) => part === 'words') ?? []
  assert.ok(words.some(({ contribution }) => contribution > 0))
})

test('the rules replace a model that fails or is missing, and the result has the reason', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row(home, 'u1', 'Ada: Ben looks after my pet.')])
  const { model, endpoint } = await understanding(t, () => ({ queries: 5 }))
  const asked = { space: home, query, understanding: 'model' } as const
  const plain = await recall({ space: home, query }, place)
  assert.equal(plain.understood, undefined)
  for (const [options, note] of [
    [{ ...place, model }, /no valid answer/],
    [{ ...place, model: null }, /no model is configured/],
  ] as const) {
    const { understood, ...answer } = await recall(asked, options)
    assert.deepEqual(answer, plain)
    assert.equal(understood?.by, 'rules')
    assert.match(understood?.note ?? '', note)
  }
  endpoint.setMode('forbid')
  assert.match((await recall(asked, { ...place, model })).understood?.note ?? '', /unavailable/)
})

test('names that are in the question are not searched twice', () => {
  const understood = {
    ...nothing,
    by: 'm',
    queries: ['Did Ann sail?'],
    keywords: ['sail', 'boat'],
    persons: ['Ann'],
    note: null,
  }
  assert.deepEqual(namesBeyondQuestion({ ...understood, location: 'Porto' }), ['boat', 'Porto'])
})
