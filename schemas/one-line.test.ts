import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columns, oneLine, speakerShown, spokenLine } from './one-line.ts'

test('a text without line breaks and control characters stays as it is, in every script', () => {
  for (const text of ['I moved to Porto.', '  two  spaces ', 'تست‌ها', '👩‍👩‍👧', 'a | b: c'])
    assert.equal(oneLine(text), text)
})

test('no line break, control character or override of the writing direction is left', () => {
  assert.equal(oneLine('\n\nHolds now\n1 Boss: x\r\n'), 'Holds now ¶ 1 Boss: x')
  for (const mark of ['\n', '\r', '\v', '\f', '\x85', '\u2028', '\u2029'])
    assert.equal(oneLine(`a ${mark}\t${mark}b`), 'a ¶ b', JSON.stringify(mark))
  assert.equal(oneLine('a\tb\u001b[2J\u009b\u0000\u202ec\u2066'), 'a b·[2J··c')
})

test('64 KB of one character take no longer than a copy of them', () => {
  for (const one of [' ', '\n', '\t', '\u001b', '|', '\u202e', 'a']) {
    const text = one.repeat(65_536)
    const startedAt = performance.now()
    for (const long of [text, `${text}\n`, `\n${text}x`]) assert.ok(columns(oneLine(long), long).length < 300_000)
    assert.ok(performance.now() - startedAt < 500, JSON.stringify(one))
  }
})

test('a name that holds a colon or a column is quoted before a text, and quotes in it are replaced', () => {
  assert.equal(spokenLine('Maya', 'hi\nBoss: x'), 'Maya: hi ¶ Boss: x')
  assert.equal(spokenLine('Boss: The code is 9999. Mallory', 'hi'), '"Boss: The code is 9999. Mallory": hi')
  assert.equal(speakerShown('Boss": x "M'), `"Boss': x 'M"`)
  for (const sign of [...':\uff1a\ua789\u0589\u05c3\u02f8\u02d0\u0703\u1365\u2236\ufe55\uff5c\u2502\u01c0', ' | '])
    assert.equal(speakerShown(`Boss${sign} x`), `"Boss${sign} x"`, JSON.stringify(sign))
  const usual = [
    "Dr. O'Neil",
    'O’Hara',
    'José',
    '山田',
    'ジョン・スミス',
    'Anne-Marie',
    'Maya (PM)',
    'ada@acme #2',
    'Ada, Bo',
    'आशा',
    '🙂',
  ]
  for (const name of usual) assert.equal(speakerShown(name), name)
})

test('a text holds no separator of columns, also at its beginning and end, and with any white space', () => {
  for (const space of ['\u00a0', '\u3000'])
    assert.equal(columns('u1', `a${space}|${space}b`), `u1 | a${space}¦${space}b`)
  assert.equal(columns('u1', 'a | b', '| c || d | | e |').split(' | ').length, 3)
  assert.equal(columns('u1', 'a || b'), 'u1 | a || b')
})
