import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitText } from './long-text.ts'

test('parts fit the limit, and joined they are the text again', () => {
  const texts = {
    sentences: 'It rains. It shines. '.repeat(20),
    'no place to cut': 'x'.repeat(333),
    emoji: '🚣'.repeat(90),
    'a byte-order mark': `\u{feff}${'word '.repeat(60)}`,
    'replacement characters': '\u{fffd}'.repeat(200),
    'halves of pairs': '\ud83d'.repeat(200),
    'one that fits': 'short',
  }
  for (const [name, text] of Object.entries(texts)) {
    const parts = splitText(text, 100)
    assert.equal(parts.join(''), text, name)
    for (const part of parts) assert.ok(part !== '' && Buffer.byteLength(part) <= 100, name)
  }
})
