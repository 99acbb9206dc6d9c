import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedAddress, InvalidField, maxTextBytes, utteranceFrom } from './utterance.ts'

const place = { tenant: 'acme', space: 'home' }
const good = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'The boat leaks.' }

const faults: readonly (readonly [what: string, input: unknown, field: string, message: RegExp])[] = [
  ['no object', [good], '', /^the utterance is \[.*: expected a JSON object$/],
  ['null', null, '', /^the utterance is null: expected a JSON object$/],
  [
    'an unknown field',
    { ...good, mood: 'glad' },
    'mood',
    /^there is no field "mood": expected some of id, conversation/,
  ],
  ['no text', { ...good, text: undefined }, 'text', /^text is missing: expected words$/],
  ['an empty text', { ...good, text: ' \n' }, 'text', /^text is " \\n": expected words$/],
  [
    'a text too long',
    { ...good, text: 'é'.repeat(maxTextBytes) },
    'text',
    /at most 65536 bytes, and these are 131072$/,
  ],
  ['an unknown role', { ...good, role: 'boss' }, 'role', /^role is "boss": expected one of human, agent/],
  [
    'a day that its month does not have',
    { ...good, at: '2026-02-30T09:00:00Z' },
    'at',
    /^at is "2026-02-30T.*: expected a time in ISO 8601/,
  ],
  ['an hour above 24', { ...good, at: '2026-02-03T25:00:00Z' }, 'at', /^at is/],
  ['no time zone', { ...good, at: '2026-03-02T09:00:00' }, 'at', /with a time zone/],
  ['a word for a day', { ...good, at: 'yesterday' }, 'at', /^at is "yesterday"/],
  ['a number for a time', { ...good, at: 1_772_442_000_000 }, 'at', /^at is 1772442000000/],
  [
    'a control character in a name',
    { ...good, speaker: 'A\u001bda' },
    'speaker',
    /none of them a control, bidirectional/,
  ],
  ['a zero-width joiner in a name', { ...good, speaker: 'A\u200dda' }, 'speaker', /^speaker is "A\\u200dda": expected/],
  ['an override of direction in a name', { ...good, conversation: 'c\u202e' }, 'conversation', /"c\\u202e"/],
  ['a line separator in a label', { ...good, metadata: { 'a\u2028b': 'x' } }, 'metadata', /^metadata is/],
  ['an unseen character in an id', { ...good, id: 'm\u200b1' }, 'id', /^id is "m\\u200b1"/],
  ['two labels of one name', { ...good, metadata: { a: 'x', ' a': 'y' } }, 'metadata', /names differ/],
  ['a name too long', { ...good, conversation: 'c'.repeat(257) }, 'conversation', /1 to 256 characters/],
  ['attachments that are no list', { ...good, attachments: {} }, 'attachments', /an array of at most 64/],
  ['an attachment without words', { ...good, attachments: [{ kind: 'image' }] }, 'attachments[0]', /kind, description/],
  ['a label that is no text', { ...good, metadata: { n: 1 } }, 'metadata', /values are strings/],
  ['a missing conversation', { ...good, conversation: undefined }, 'conversation', /missing/],
  [
    'a text that JSON makes too long',
    { ...good, text: '\u0001'.repeat(50_000) },
    '',
    /^the utterance has 300\d+ bytes/,
  ],
  [
    'an utterance that is too large in all',
    { ...good, attachments: Array.from({ length: 5 }, () => ({ kind: 'file', description: 'x'.repeat(60_000) })) },
    '',
    /^the utterance has \d+ bytes in all: expected at most 262144$/,
  ],
]

for (const [what, input, field, message] of faults) {
  test(`${what} is refused with the field, the value and the expected one`, () => {
    assert.throws(
      () => utteranceFrom(input, place, 0),
      (error) => error instanceof InvalidField && error.field === field && message.test(error.message),
    )
  })
}

test('a label named __proto__ is refused, since decoding would lose it', () => {
  const input = { ...good, metadata: JSON.parse('{"__proto__":"x"}') }
  assert.throws(() => utteranceFrom(input, place, 0), /metadata is/)
})

test('the same content gets the same id; other content, another space or another tenant gets another id', () => {
  const id = utteranceFrom(good, place, 1).id
  assert.equal(utteranceFrom({ ...good, role: 'human' }, place, 2).id, id)
  const others = [
    utteranceFrom({ ...good, text: 'The boat floats.' }, place, 1),
    utteranceFrom(good, { ...place, space: 'work' }, 1),
    utteranceFrom(good, { ...place, tenant: 'other' }, 1),
  ]
  assert.equal(new Set([id, ...others.map((other) => other.id)]).size, 4)
})

test('half a surrogate pair becomes U+FFFD, in every field', () => {
  const broken = {
    ...good,
    text: 'cut \ud83d',
    speaker: 'A\udc00',
    metadata: { note: '\ud83d' },
    attachments: [{ kind: 'image', description: '\ud83d', uri: '\ud83d' }],
  }
  assert.ok(JSON.stringify(utteranceFrom(broken, place, 0)).isWellFormed())
  assert.doesNotMatch(JSON.stringify(utteranceFrom(broken, place, 0)), /\\ud/)
})

test('a slash in a tenant or a space is refused: one key must never name two spaces', () => {
  assert.throws(() => checkedAddress({ tenant: 'a', space: 'b/c' }), /^InvalidField|space is "b\/c"/)
  assert.throws(() => checkedAddress({ tenant: 'a/b', space: 'c' }), /tenant is "a\/b"/)
})

test('a value that nests too deep to be shown is refused too', () => {
  let deep: unknown = 'x'
  for (let level = 0; level < 20_000; level++) deep = [deep]
  const input = { conversation: deep, speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'x' }
  const refused = () => utteranceFrom(input, { tenant: 'acme', space: 'home' }, 0)
  assert.throws(refused, /conversation is a value that nests too deep: expected/)
})

test('a name in another form, or with white space around it, is the same name and gets the same id', () => {
  const stored = utteranceFrom({ ...good, speaker: 'José', metadata: { née: 'x' } }, { ...place, space: 'é' }, 0)
  const given = { ...good, speaker: ' Jose\u0301\r', conversation: 'c ', metadata: { 'ne\u0301e': 'x' } }
  assert.deepEqual(utteranceFrom(given, { ...place, space: 'e\u0301' }, 0), stored)
})

test('the id of ordinary content stays what it was in every earlier log', () => {
  assert.equal(utteranceFrom(good, place, 0).id, '9a564eea204a13b3aa8d37f5826c0b4a')
})
