import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const message = (uuid: string, sender: string, text: string, more: object = {}) => ({
  uuid,
  sender,
  text,
  created_at: '2026-03-02T09:00:00.123456Z',
  attachments: [],
  files: [],
  ...more,
})
const conversation = (...messages: readonly object[]) => ({ uuid: 'c1', name: 'Moving', chat_messages: messages })

test('messages of a conversation have their sender and time, and are the same with another title', () => {
  const sample = [conversation(message('m1', 'human', 'I moved to Porto.'), message('m2', 'assistant', 'Good luck!'))]
  const { utterances, faults } = readSample('claude', sample, { speaker: 'Maya' })
  assert.deepEqual(faults, [])
  assert.deepEqual(
    utterances.map(({ id, conversation, speaker, role, text }) => [id, conversation, speaker, role, text]),
    [
      ['m1', 'c1', 'Maya', 'human', 'I moved to Porto.'],
      ['m2', 'c1', 'Claude', 'agent', 'Good luck!'],
    ],
  )
  assert.deepEqual(utterances[0]?.metadata, { source: 'claude' })
  const renamed = sample.map((each) => ({ ...each, name: 'A boat' }))
  assert.deepEqual(readSample('claude', renamed, { speaker: 'Maya' }).utterances, utterances)
})

test('the text blocks count where there are blocks, and thinking and tools are left out', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'It rains.' },
    { type: 'tool_use', name: 'weather', input: {} },
  ]
  const sample = conversation(
    message('m1', 'assistant', 'Hm. It rains. A block that is not supported.', { content: blocks }),
    message('m2', 'assistant', 'A notice.', { content: blocks.slice(2) }),
  )
  const { utterances, leftOut } = readSample('claude', [sample])
  assert.deepEqual(
    utterances.map(({ text }) => text),
    ['It rains.'],
  )
  assert.deepEqual(leftOut, ['thinking', 'a block of a tool', 'without a text', 'a block of a tool'])
})

test('the text of an attachment is its description, cut where it is too long, and a message may have nothing else', () => {
  const note = { file_name: 'note.txt', file_type: 'txt', extracted_content: 'The boat needs paint.' }
  const long = { file_name: 'long.txt', extracted_content: 'é'.repeat(100_000) }
  const { utterances, faults, leftOut } = readSample('claude', [
    conversation(
      message('m1', 'human', '', { attachments: [note], files: [{ file_name: 'boat.png' }] }),
      message('m2', 'human', 'Read this.', { attachments: [long, long, long, long] }),
    ),
  ])
  assert.deepEqual(faults, [])
  assert.deepEqual(
    utterances[0]?.attachments.map(({ description }) => description),
    ['note.txt: The boat needs paint.', 'boat.png'],
  )
  assert.equal(utterances[0]?.text, '(file, file)')
  assert.equal(utterances[1]?.attachments[0]?.description.length, 20_000)
  assert.equal(leftOut.length, 4)
  assert.equal(leftOut[0], 'the rest of a long attachment')
})

test('every wrong message is named, and the others are read', () => {
  const { utterances, faults } = readSample('claude', [
    conversation(
      message('m1', 'robot', 'a'),
      message('m2', 'human', 'b'),
      message('m3', 'human', 'c', { created_at: 'today' }),
    ),
    { uuid: 'c2', chat_messages: null },
  ])
  assert.deepEqual(
    utterances.map(({ id }) => id),
    ['m2'],
  )
  assert.deepEqual(faults, [
    'talk.json: item 1: chat_messages[0]: sender is "robot": expected one of human, assistant',
    'talk.json: item 1: chat_messages[2]: at is "today": expected a time in ISO 8601 with a time zone, such as 2026-03-02T09:00:00Z',
    'talk.json: item 2: chat_messages is null: expected a list',
  ])
})
