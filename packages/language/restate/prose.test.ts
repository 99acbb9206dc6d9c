import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restate } from '../restate.ts'
import { proseOf } from './prose.ts'

const before = 'I moved to Linz in May 2024.'
const foreign: { readonly [kind: string]: string } = {
  code: '```ts\nconst mirrored = false\n```',
  'code without a fence': 'const fee = (cents) => cents * 2;\nreturn fee(100);',
  'an assignment': 'hashed_password = generate_password_hash(password)',
  SQL: 'CREATE TABLE invoice (\n  updated_at timestamptz NOT NULL DEFAULT now()\n);',
  JSON: '{"job":"migrate","status":"failed"}',
  logs: '2026-03-02 09:00:01 ERROR The invoice has failed.',
  'keys and values': 'p50=41ms p95=118ms errors=2',
  'a stack trace': 'Traceback (most recent call last):\n  File "export.py", line 12, in <module>',
  'a quoted mail': '> From: Hannah Vogel\n> I am leaving Nordlicht in May 2024.',
  'a forwarded mail': 'From: Hannah Vogel\nI am leaving Nordlicht in May 2024.',
  'a table': '| team | size |\n|---|---|\n| Platform | 4 |',
  'a quotation': '"I shipped two titles in 2020. I led a team of six."',
  'a link': 'See https://docs.example.com/fees?rate=0.4&mode=up for the rules.',
  'inline code': 'Is `mirrored` false?',
  'a draft': "Here's my cover letter draft:\nI shipped two titles in 2020.",
}
for (const [kind, text] of Object.entries(foreign))
  it(`${kind} gives no statement, and the sentence before it does`, () => {
    const utterance = { speaker: 'Ann', text: `${before}\n${text}`, at: Date.UTC(2026, 2, 2) }
    const statements = restate(utterance, { addressee: null, previous: [], participants: ['Ann'] })
    assert.deepEqual(
      statements.map((each) => each.text),
      ['Ann moved to Linz in May 2024.', 'Ann lives in Linz.'],
    )
  })

it('a letter for somebody else gives no statement at all', () => {
  assert.equal(proseOf('Dear team,\nI had an interview in May.\nKind regards,\nAnn'), '')
})

it('titles in quotes and plain lines stay', () => {
  const text = 'I saw "The Tempest" in Oslo.\nThe fee is 0.35 % now.'
  assert.equal(proseOf(text), text)
})
