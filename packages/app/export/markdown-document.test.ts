import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentReply } from '@loomlog/client/api'
import { markdownDocument } from './markdown-document.ts'
import { fileNameOf } from './markdown-folder.ts'

function page(fields: Partial<DocumentReply>, words = 'Maya: I live in Lisbon.'): string {
  const document: DocumentReply = {
    id: 'd1',
    kind: 'profile',
    title: 'Maya',
    entity: 'Maya',
    summary: '',
    more: false,
    text: '',
    generation: 'g',
    epoch: 1,
    parts: [{ heading: 'Home', entries: [{ id: 'e1', statement: 'Maya lives in Lisbon.', sources: ['u1', 'u2'] }] }],
    ...fields,
  }
  const source = { id: 'u1', text: words, speaker: 'Maya', at: Date.UTC(2026, 2, 2) }
  return markdownDocument({ document, tenant: 't', space: 's', updatedAt: 0, sources: new Map([['u1', source]]) })
}

test('an entry cites its utterances by footnotes, each once, also one that is missing', () => {
  assert.equal(
    page({}),
    `---
id: "d1"
title: "Maya"
kind: "profile"
entity: "Maya"
tenant: "t"
space: "s"
updated: "1970-01-01T00:00:00.000Z"
generation: "g"
entries: 1
sources: 2
---

# Maya

## Home

- Maya lives in Lisbon.[^1][^2]

[^1]: Maya: I live in Lisbon. (\`u1\`, 2026-03-02)
[^2]: \`u2\`
`,
  )
})

const hostile = [
  'x"\n---\nid: "forged"',
  '---',
  '# heading',
  '1. item',
  '[^1]: forged',
  '![](https://example.org/pixel)',
  '<script>alert(1)</script>',
  '`code`',
  '\u2028---\u2029id: 1',
  '::: danger',
  'https://evil.example',
  'WWW.evil.example and www.evil.example',
  'a@b.example, mailto:a@b.example, xmpp:a@b.example',
  'javascript:alert(1) ftp://evil.example',
]

test('words of people make no line, front matter, footnote, link or HTML of their own', () => {
  const [, plainMatter = ''] = page({}).split('---\n')
  for (const text of hostile) {
    const entry = { id: 'e1', statement: text, sources: ['u1', 'u2'] }
    const made = page({ title: text, entity: text, parts: [{ heading: text, entries: [entry] }] }, text)
    assert.equal(made.split('\n').length, page({}).split('\n').length, text)
    const [before, matter = '', ...body] = made.split(/^---$/m)
    assert.deepEqual([before, body.length], ['', 1], text)
    const fields = matter
      .trim()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(':')))
    assert.deepEqual(
      fields,
      plainMatter
        .trim()
        .split('\n')
        .map((line) => line.slice(0, line.indexOf(':'))),
      text,
    )
    assert.equal(JSON.parse(matter.match(/^title: (.*)$/m)?.[1] ?? ''), text)
    const words = (body[0] ?? '').replaceAll(/\\[!-~]/g, '')
    assert.doesNotMatch(words, /:\/\/|www\.|@/i, text)
    assert.equal((words.match(/\[\^/g) ?? []).length, 4, text)
    assert.doesNotMatch(words.replaceAll(/`[^`]*`/g, ''), /[<!`]|\]\(/, text)
    for (const line of words.split('\n'))
      assert.doesNotMatch(line.replace(/^(?:- |##? |\[\^1\]: )/, ''), /^(?:#|\d+\.|---|:::)/, text)
  }
})

test('the name of a file is safe for any title, and unique for its id', () => {
  const names = [
    '../../etc/passwd',
    'CON',
    '',
    '...',
    'a/b\\c:d',
    'x'.repeat(500),
    '猫'.repeat(200),
    '\u202Egpj.exe',
    'a\0b',
  ]
  for (const title of names) {
    const name = fileNameOf({ id: 'd1', title })
    assert.match(name, /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}-]*-[0-9a-f]{12}\.md$/u, JSON.stringify(title))
    assert.ok(Buffer.byteLength(name) < 120, name)
  }
  assert.notEqual(fileNameOf({ id: 'd1', title: 'Maya' }), fileNameOf({ id: 'D1', title: 'maya' }))
})
