import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormatName } from './formats/names.ts'
import { readFormat } from './formats.ts'
import { parsedValue, splitterOf } from './import/values.ts'

const place = { tenant: 'default', space: 'home' }
const read = (text: string, format: FormatName = 'jsonl') =>
  readFormat(format, { file: 'talk', text, place, appendedAt: 0 })
const line = (id: string, text: string, conversation = 'c') =>
  JSON.stringify({ id, conversation, speaker: 'Ada', at: '2026-03-02T09:00:00Z', text })

test('each conversation pauses after its last line, the space after all lines, and blank lines are skipped', () => {
  const events = read(`${line('1', 'a')}\n\n${line('2', 'b', 'd')}\r\n${line('3', 'c')}\n`)
  assert.deepEqual(
    events.map((event) => (event.type === 'UtteranceAppended' ? event.id : `${event.type} ${event.afterUtterance}`)),
    ['1', '2', 'ConversationPaused 2', '3', 'ConversationPaused 3', 'SpacePaused 3'],
  )
})

test('the line that an error shows as an example is accepted', () => {
  const shown = (): string => {
    try {
      return String(read('{"oops'))
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.equal(read(shown().slice(shown().lastIndexOf('{'))).length, 3)
})

test('a wrong line is named by its number in the file', () => {
  assert.throws(() => read(`${line('1', 'a')}\n{"oops`), /^LoomlogError: talk:2: not JSON/)
  assert.throws(() => read(`\n${line('1', '')}`), /^LoomlogError: talk:2: text is ""/)
})

test('a repeated id is accepted with the same content, and refused with other content, naming both lines', () => {
  assert.equal(read(`${line('1', 'a')}\n${line('1', 'a')}`).filter((event) => event.id === '1').length, 2)
  assert.throws(
    () => read(`${line('1', 'a')}\n${line('2', 'a')}\n${line('1', 'b')}`),
    /^LoomlogError: talk:3: the id 1 is at talk:1 already, with other content$/,
  )
})

test('a text that is too long for one utterance becomes numbered parts, which hold all of it', () => {
  const paragraph = `${'One sentence of a pasted document, with an emoji 🙂. '.repeat(400)}\n\n`
  for (const text of [paragraph.repeat(8).trimEnd(), '🙂é'.repeat(30_000)]) {
    const input = {
      id: 'm',
      conversation: 'c',
      speaker: 'Ada',
      at: '2026-03-02T09:00:00Z',
      metadata: { app: 'x' },
      text,
    }
    const said = read(JSON.stringify(input)).filter((event) => event.type === 'UtteranceAppended')
    assert.ok(said.length > 1)
    assert.equal(said.map((event) => event.text).join(''), text)
    assert.deepEqual(
      said.map(({ id, metadata }) => [id, metadata.app, metadata.part]),
      said.map((_, at) => [`m#${at + 1}`, 'x', `${at + 1} of ${said.length}`]),
    )
  }
  assert.equal(read(line('1', 'a'.repeat(65_536)))[0]?.id, '1')
})

test('a carriage return after a name is no part of it, and one within it is named with its line and field', () => {
  const line = (speaker: string) =>
    `${JSON.stringify({ conversation: 'c\r', speaker, at: '2026-01-05T10:00:00Z', text: 'x' })}\r\n`
  const source = { file: 'chat.jsonl', place: { tenant: 'acme', space: 'home' }, appendedAt: 0 }
  const [said] = readFormat('jsonl', { ...source, text: line('Ada\r') })
  assert.ok(said?.type === 'UtteranceAppended')
  assert.deepEqual([said.speaker, said.conversation], ['Ada', 'c'])
  const refused = () => readFormat('jsonl', { ...source, text: line('Ada') + line('A\rda') })
  assert.throws(refused, /^LoomlogError: chat\.jsonl:2: speaker is "A\\rda": expected 1 to 256 characters/)
})

test('a byte order mark is skipped, and bytes that are not UTF-8 are named by their line', () => {
  assert.equal(read(`\u{feff}${line('1', 'a')}`).length, 3)
  const splitter = splitterOf('lines', 'f')
  const [first, second] = [...splitter.push(Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x0a])), ...splitter.end()]
  assert.equal(first?.where, 'f:1')
  assert.ok(second)
  assert.throws(() => parsedValue(second, 'JSON'), /^LoomlogError: f:2: not UTF-8$/)
})

const session = (turns: unknown) => [
  { sample_id: 's1', conversation: { session_1_date_time: '1:56 pm on 8 May, 2023', session_1: turns } },
]

test('a LoCoMo session is a conversation, in a space of its sample', () => {
  const turns = [{ speaker: 'Caroline', dia_id: 'D1:1', text: 'Hey!', blip_caption: 'a dog' }]
  const [said, pause] = read(JSON.stringify(session(turns)), 'locomo')
  assert.ok(said?.type === 'UtteranceAppended')
  assert.deepEqual([said.space, said.conversation, said.id], ['home-s1', 'session-1', 'D1:1'])
  assert.equal(said.at, Date.UTC(2023, 4, 8, 13, 56))
  assert.deepEqual(said.attachments, [{ kind: 'image', description: 'a dog', uri: null }])
  assert.equal(pause?.type, 'ConversationPaused')
})

test('a LoCoMo time that no clock or calendar shows is refused, with the session', () => {
  for (const time of [
    '99:99 pm on 99 May, 2023',
    '1:60 pm on 8 May, 2023',
    '0:10 am on 8 May, 2023',
    '1:00 pm on 30 February, 2023',
  ]) {
    const samples = session([])
    const wrong = JSON.stringify(samples).replace('1:56 pm on 8 May, 2023', time)
    assert.notEqual(wrong, JSON.stringify(samples))
    assert.throws(() => read(wrong, 'locomo'), /talk: item 1: s1 session 1: date_time is/)
  }
})

test('a file that is not LoCoMo is refused with the place', () => {
  const refused = (value: unknown, message: RegExp) =>
    assert.throws(() => read(JSON.stringify(value), 'locomo'), message)
  refused({}, /talk: sample_id is missing: expected the name of a LoCoMo sample/)
  refused([null], /talk: item 1: the sample is null: expected a JSON object/)
  refused([{ sample_id: 'x', conversation: null }], /talk: item 1: conversation is null: expected the sessions/)
  refused(session(null), /talk: item 1: s1 session 1: the session is null: expected a list/)
  refused(session([null]), /talk: item 1: s1 session 1 turn 1: speaker is missing/)
})
