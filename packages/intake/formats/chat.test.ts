import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

test('a list of messages is one conversation, named after the file, at the time of the file', () => {
  const { utterances, faults } = readSample('chat', [user('I moved to Porto.'), assistant('Good luck there!')])
  assert.deepEqual(faults, [])
  assert.deepEqual(
    utterances.map(({ conversation, speaker, role, text, isTimeGiven }) => [
      conversation,
      speaker,
      role,
      text,
      isTimeGiven,
    ]),
    [
      ['talk', 'user', 'human', 'I moved to Porto.', false],
      ['talk', 'assistant', 'agent', 'Good luck there!', false],
    ],
  )
  assert.ok(utterances.every(({ at }) => at === Date.UTC(2026, 2, 2, 9)))
})

test('each line of a file for fine-tuning is a conversation, and a line of one message is a part of one', () => {
  const chats = [
    { messages: [user('a')] },
    { messages: [user('b'), assistant('c')] },
    { conversation: 'x', messages: [user('d')] },
  ]
  const lines = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n')
  assert.deepEqual(
    readSample('chat', lines(chats)).utterances.map(({ conversation, text }) => [conversation, text]),
    [
      ['talk', 'a'],
      ['talk-2', 'b'],
      ['talk-2', 'c'],
      ['x', 'd'],
    ],
  )
  const single = readSample('chat', lines([user('a'), { ...user('b'), conversation: 'y' }]))
  assert.deepEqual(
    single.utterances.map(({ conversation }) => conversation),
    ['talk', 'y'],
  )
})

test('ids stay the same at another time of the file, and with more messages at the end; equal messages have two', () => {
  const ids = (messages: readonly object[], fileTime = '2026-03-02T09:00:00.000Z') =>
    readSample('chat', messages, { fileTime }).utterances.map(({ id }) => id)
  const first = ids([user('ok'), user('ok')])
  assert.equal(new Set(first).size, 2)
  assert.deepEqual(ids([{ ...user('ok'), at: '2026-03-02T09:00:00Z' }, user('ok')]), first)
  assert.deepEqual(ids([user('ok'), user('ok'), assistant('Fine.')], '2027-01-01T00:00:00.000Z').slice(0, 2), first)
  assert.notDeepEqual(ids([user('ok'), user('no')]), first)
})

test('a time of a message, or of --at, is that of the writer', () => {
  const timed = [{ ...user('a'), at: 1_767_225_600 }, user('b')]
  const { utterances } = readSample('chat', timed, { at: '2026-04-01T00:00:00Z' })
  assert.deepEqual(
    utterances.map(({ at, isTimeGiven }) => [at, isTimeGiven]),
    [
      [Date.UTC(2026, 0, 1), true],
      [Date.UTC(2026, 3, 1), true],
    ],
  )
})

test('the person has the given name, and a name in a message wins', () => {
  const { utterances } = readSample('chat', [user('a'), { ...user('b'), name: 'Tomas' }], { speaker: 'Maya' })
  assert.deepEqual(
    utterances.map(({ speaker }) => speaker),
    ['Maya', 'Tomas'],
  )
})

test('standard input has neither a name nor a time, and every wrong message is named', () => {
  const input = { fileName: null, fileTime: null }
  assert.match(
    readSample('chat', [user('a')], input).faults.join(),
    /talk\.json: item 1: conversation is missing: expected one in each message, or --conversation/,
  )
  assert.match(
    readSample('chat', [user('a')], { ...input, conversation: 'c' }).faults.join(),
    /at is missing: expected a time in each message, or --at/,
  )
  const wrong = { messages: [{ role: 'robot', content: 'a' }, user('b'), { ...user('c'), colour: 'red' }, 7] }
  const { utterances, faults } = readSample('chat', wrong)
  assert.deepEqual(
    utterances.map(({ conversation }) => conversation),
    ['talk'],
  )
  assert.match(faults[0] ?? '', /^talk\.json: messages\[0\]: role is "robot": expected one of user/)
  assert.match(faults[1] ?? '', /^talk\.json: messages\[2\]: there is no field "colour"/)
  assert.match(faults[2] ?? '', /^talk\.json: messages\[3\]: the message is 7: expected a chat message/)
})

test('a dump of a library names every field, and those without words are ignored', () => {
  const nothing = { annotations: [], audio: null, function_call: null, tool_calls: null, refusal: null, weight: 1 }
  const [plain] = readSample('chat', [assistant('Good luck!')]).utterances
  const { utterances, faults } = readSample('chat', [{ ...assistant('Good luck!'), ...nothing, name: null, id: null }])
  assert.deepEqual([utterances, faults], [[plain], []])
  const spoken = [
    { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } },
    { role: 'assistant', content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Hello.' } },
  ]
  assert.deepEqual(
    readSample('chat', spoken).utterances.map(({ text }) => text),
    ['find({})', 'Hello.'],
  )
})

test('a message without a text is left out, and one of an image only is named after it', () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/boat.png' } }
  const messages = [user('a'), assistant(''), { role: 'tool', content: null }, { role: 'user', content: [image] }]
  const { utterances, faults, leftOut } = readSample('chat', messages)
  assert.deepEqual(
    utterances.map(({ text, attachments }) => [text, attachments.length]),
    [
      ['a', 0],
      ['(image)', 1],
    ],
  )
  assert.deepEqual([faults, leftOut], [[], ['without a text', 'without a text']])
})

test('a conversation is the same on one line and on several', () => {
  const chats = { messages: [user('a')] }
  assert.deepEqual(readSample('chat', JSON.stringify(chats)).utterances, readSample('chat', chats).utterances)
})
