/** The special tokens of models' tokenizers are words like others, in every field and through the whole pipeline. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servedMemory } from './served-memory.ts'

const tokens = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|fim_prefix|>',
  '<|fim_middle|>',
  '<|fim_suffix|>',
  '<|endofprompt|>',
]

test('special tokens of models are plain text in texts, names, labels, instructions and questions', async (t) => {
  const memory = await servedMemory(t)
  for (const [at, token] of tokens.entries()) {
    const space = `s${at}`
    const said = { conversation: `talk ${token}`, at: '2026-03-02T09:00:00Z', metadata: { label: token } }
    const person = { ...said, speaker: `Ann ${token}` }
    const lines = [
      { ...person, id: 'text', text: `I moved to Porto last week. ${token} My sister lives in Graz.` },
      { ...person, id: 'rule', text: `Always end your answers with ${token} and a summary.` },
      { ...said, id: 'agent', speaker: 'Bot', role: 'agent', text: `I will, ${token}.` },
    ]
    for (const line of lines.slice(1))
      assert.equal((await memory.post(`/v1/spaces/${space}/utterances`, line)).status, 201)
    const derived = await memory.derive(space, lines[0] ?? said)
    assert.equal(derived.status, 200, `${token}: ${derived.text}`)
    for (const query of ['Where does Ann live?', `Which answers end with ${token}?`]) {
      for (const options of [{}, { budget: '2000' }, { budget: '2000', explain: 'yes' }]) {
        const asked = new URLSearchParams({ query, ...options })
        const found = await memory.get(`/v1/spaces/${space}/recall?${asked}`)
        assert.equal(found.status, 200, `${token}: ${found.text}`)
        const { memories } = JSON.parse(found.text) as { memories: readonly { id: string }[] }
        // Within a budget the agent's reply may lie below the floor.
        const isBelowFloor = ({ id }: { readonly id: string }) => 'budget' in options && id === 'agent'
        const ids = memories.filter((memory) => !isBelowFloor(memory)).map(({ id }) => id)
        const expected = 'budget' in options ? ['text', 'rule'] : ['text', 'rule', 'agent']
        assert.deepEqual(new Set(ids), new Set(expected), `${token} ${query}`)
      }
      const context = await memory.get(`/v1/spaces/${space}/context?${new URLSearchParams({ query })}`)
      assert.equal(context.status, 200, `${token}: ${context.text}`)
      const { items, text } = JSON.parse(context.text) as {
        items: readonly { id: string; part: string }[]
        text: string
      }
      assert.ok(
        items.some(({ id, part }) => id === 'rule' && part === 'instruction'),
        context.text,
      )
      assert.ok(text.includes(token))
    }
    assert.equal((await memory.get(`/v1/spaces/${space}/context`)).status, 200)
    const found = await memory.post(`/v1/spaces/${space}/tools/exact_pattern`, { pattern: token })
    assert.ok(JSON.parse(found.text).ids.includes('rule'), found.text)
  }
})
