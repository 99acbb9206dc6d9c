import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const text = (role: string, words: string, more: object = {}) => ({
  id: `m-${words}`,
  author: { role, name: null, metadata: {} },
  create_time: 1_767_225_600.5,
  content: { content_type: 'text', parts: [words] },
  metadata: {},
  ...more,
})
const node = (id: string, parent: string | null, message: object | null) => ({ id, parent, children: [], message })
/** A root, a hidden system message, a question with two replies, and thoughts. */
const mapping = {
  root: node('root', null, null),
  sys: node('sys', 'root', text('system', '')),
  about: node('about', 'sys', text('user', 'About me', { metadata: { is_visually_hidden_from_conversation: true } })),
  ask: node('ask', 'about', text('user', 'I moved to Porto.')),
  old: node('old', 'ask', text('assistant', 'An older reply.')),
  think: node('think', 'ask', text('assistant', '', { content: { content_type: 'thoughts', thoughts: [] } })),
  reply: node('reply', 'think', text('assistant', 'Good luck!', { metadata: { model_slug: 'gpt-9' } })),
}
const conversation = {
  conversation_id: 'c1',
  title: 'Moving',
  create_time: 1_767_225_600,
  mapping,
  current_node: 'reply',
}

test('only the branch of the current node is read, without hidden messages and thoughts', () => {
  const { utterances, faults, leftOut } = readSample('chatgpt', [conversation], { speaker: 'Maya' })
  assert.deepEqual(faults, [])
  assert.deepEqual(
    utterances.map(({ id, conversation, speaker, role, text }) => [id, conversation, speaker, role, text]),
    [
      ['m-I moved to Porto.', 'c1', 'Maya', 'human', 'I moved to Porto.'],
      ['m-Good luck!', 'c1', 'ChatGPT', 'agent', 'Good luck!'],
    ],
  )
  assert.deepEqual(utterances[1]?.metadata, { source: 'chatgpt', model: 'gpt-9' })
  assert.equal(utterances[0]?.at, 1_767_225_600_500)
  assert.deepEqual(leftOut, ['hidden or system', 'hidden or system', 'reasoning', 'on another branch'])
})

test('an image is an attachment, and code of the assistant is its text', () => {
  const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1' }
  const shown = text('user', 'x', { content: { content_type: 'multimodal_text', parts: ['Our boat.', image] } })
  const code = text('assistant', 'y', { content: { content_type: 'code', text: 'print(1)' } })
  const sample = { ...conversation, mapping: { a: node('a', null, shown), b: node('b', 'a', code) }, current_node: 'b' }
  const { utterances } = readSample('chatgpt', [sample])
  assert.deepEqual(
    utterances.map(({ text }) => text),
    ['Our boat.', 'print(1)'],
  )
  assert.deepEqual(utterances[0]?.attachments, [{ kind: 'image', description: '', uri: 'file-service://file-1' }])
})

test('without a current node the only branch is read, and several are refused', () => {
  const { old: _, ...single } = mapping
  assert.equal(
    readSample('chatgpt', [{ ...conversation, mapping: single, current_node: undefined }]).utterances.length,
    2,
  )
  const { faults } = readSample('chatgpt', [{ ...conversation, current_node: null }])
  assert.deepEqual(faults, ['talk.json: item 1: current_node is missing, and there are 2 branches'])
})

test('a wrong tree or message is named, and the other conversations are read', () => {
  const circle = { ...conversation, mapping: { a: node('a', 'b', null), b: node('b', 'a', null) }, current_node: 'a' }
  const away = { ...conversation, current_node: 'nowhere' }
  const timeless = {
    ...conversation,
    mapping: { a: node('a', null, text('user', 'x', { create_time: 'soon' })) },
    current_node: 'a',
  }
  const { utterances, faults } = readSample('chatgpt', [circle, away, timeless, conversation])
  assert.equal(utterances.length, 2)
  assert.deepEqual(faults, [
    'talk.json: item 1: parent is "a": expected a node of mapping, each once',
    'talk.json: item 2: current_node is "nowhere": expected a node of mapping, each once',
    'talk.json: item 3: mapping.a: create_time is "soon": expected seconds since 1970',
  ])
})

test('a conversation with another title and more messages later has the same utterances before them', () => {
  const grown = { ...mapping, more: node('more', 'reply', text('user', 'Thanks.')) }
  const before = readSample('chatgpt', [conversation]).utterances
  const after = readSample('chatgpt', [{ ...conversation, title: 'A boat', mapping: grown, current_node: 'more' }])
  assert.equal(after.utterances.length, 3)
  assert.deepEqual(after.utterances.slice(0, 2), before)
})
