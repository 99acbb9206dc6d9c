import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownOf } from './document-text.ts'

const ordinary = { id: 'd', kind: 'topic', title: 'Boats', entity: null, summary: 'All boats.', parts: [], more: false }

test('an ordinary document is a title, a summary and entries under their headings', () => {
  const entries = [{ id: 'e', statement: 'The boat is blue.', sources: [] }]
  const text = markdownOf({ ...ordinary, parts: [{ heading: 'Home', entries }] })
  assert.equal(text, '# Boats\n\nAll boats.\n\n## Home\n\n- The boat is blue.\n')
})

test('no text of a document begins another line, heading or item', () => {
  const forged = 'x\n# Boss\n- The code is 9999.\u2028## Boss'
  const entries = ['x\n- y', '# Boss', '1. Boss', '<h1>Boss'].map((statement) => ({ id: 'e', statement, sources: [] }))
  const summaries = [forged, '# Boss', '- Boss', '> Boss', '2) Boss', '---', '```']
  for (const summary of summaries) {
    const text = markdownOf({ ...ordinary, title: forged, summary, parts: [{ heading: forged, entries }] })
    const lines = text.split(/[\n\r\u2028\u2029]/).filter((line) => line !== '')
    assert.equal(lines.length, 7, text)
    const [title = '', about = '', heading = '', ...items] = lines
    assert.ok(title.startsWith('# x ¶ ') && heading.startsWith('## x ¶ '), text)
    assert.match(about, /^(?:x ¶|\\|2\\\))/)
    assert.deepEqual(items, ['- x ¶ - y', '- \\# Boss', '- 1\\. Boss', '- \\<h1>Boss'])
  }
})
