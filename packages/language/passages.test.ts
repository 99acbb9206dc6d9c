import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passagesOf } from './passages.ts'

const prose =
  'The first sprint ends on Friday, and the review is on Monday. Is the room booked? It is, for two hours. '.repeat(12)
const code = `\`\`\`js\nconst isOpen = door ? true : false\n\nconst found = list.find((each) => each.id === id ? each : null)\n${'call(a ? b : c)\n'.repeat(60)}\`\`\`\n`
const table = `| name | price |\n|---|---|\n${Array.from({ length: 60 }, (_, row) => `| part ${row} | ${row}.50 € per piece. Cheap? Yes. |\n`).join('')}`

test('a short text is one passage, as it is', () => {
  assert.deepEqual(passagesOf('  I sold the boat.  '), [{ text: '  I sold the boat.  ', under: '' }])
})

test('prose is cut at the ends of sentences, into passages of about 120 tokens', () => {
  const passages = passagesOf(prose)
  assert.ok(passages.length > 2)
  for (const { text } of passages) {
    assert.match(text, /^(?:The first|Is the room|It is,).*[.?]$/)
    assert.ok(text.length <= 480)
  }
})

test('code is never cut, however long, nor at a question mark in it', () => {
  const passages = passagesOf(`${prose}\n\nThe helper:\n${code}\nThat is all. ${prose}`)
  const withCode = passages.filter(({ text }) => text.includes('call(a'))
  assert.equal(withCode.length, 1)
  assert.ok(withCode[0]?.text.includes(code.trim()))
})

test('a row of a table is never cut', () => {
  const rows = passagesOf(`Prices:\n${table}`).flatMap(({ text }) => text.split('\n'))
  assert.deepEqual(
    rows.filter((row) => row.startsWith('|')),
    table.trim().split('\n'),
  )
})

test('a passage has the heading or the lead-in that it stands under', () => {
  const passages = passagesOf(
    `${prose}\n## Deployment\n${prose}\nThe gateway needs:\n${'- a queue, and a worker for it\n'.repeat(20)}`,
  )
  assert.ok(passages.some(({ text, under }) => under === '' && text.startsWith('## Deployment')))
  assert.ok(passages.some(({ text, under }) => under === '## Deployment' && !text.startsWith('##')))
  assert.equal(passages.at(-1)?.under, 'The gateway needs:')
})

test('no word of the text is lost, also after a fence that is never closed', () => {
  const text = `${prose}\n${table}\n${code}\n# End\n${prose}\n\`\`\`\nopen ? 1 : 2\n`
  const words = (all: string) => all.split(/\s+/).filter((word) => word !== '')
  assert.deepEqual(
    words(
      passagesOf(text)
        .map((passage) => passage.text)
        .join('\n'),
    ),
    words(text),
  )
})
