import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Layout } from '../formats/format.ts'
import { maxValueBytes, parsedValue, splitterOf } from './values.ts'

/** The values of a text that arrives in chunks. */
function split(
  layout: Layout,
  text: string,
  chunkBytes: number,
): readonly (readonly [where: string, value: unknown])[] {
  const splitter = splitterOf(layout, 'f')
  const bytes = Buffer.from(text)
  const raw = []
  for (let at = 0; at < bytes.length; at += chunkBytes) raw.push(...splitter.push(bytes.subarray(at, at + chunkBytes)))
  raw.push(...splitter.end())
  return raw.map((each) => [each.where, parsedValue(each, 'JSON')])
}

const odd = '"] , \\" \\\\ { é 🙂'
const layouts: readonly (readonly [layout: Layout, text: string, values: readonly (readonly [string, unknown])[]])[] = [
  [
    'lines',
    `\u{feff}{"a":1}\r\n\n  \n${JSON.stringify({ odd })}\n7`,
    [
      ['f:1', { a: 1 }],
      ['f:4', { odd }],
      ['f:5', 7],
    ],
  ],
  [
    'items',
    `\u{feff} [ {"a":[1,2,{"b":"]"}]} , ${JSON.stringify({ odd })},"x",[3,[4]]\n] \n`,
    [
      ['f: item 1', { a: [1, 2, { b: ']' }] }],
      ['f: item 2', { odd }],
      ['f: item 3', 'x'],
      ['f: item 4', [3, [4]]],
    ],
  ],
  ['document', `\u{feff}{\n "odd": ${JSON.stringify(odd)}\n}\n`, [['f', { odd }]]],
]

for (const [layout, text, values] of layouts)
  test(`the ${layout} of a file are the same in chunks of any size`, () => {
    for (let bytes = 1; bytes < 60; bytes++) assert.deepEqual(split(layout, text, bytes), values, `${bytes} bytes`)
    assert.deepEqual(split(layout, text, 10_000), values)
  })

test('nothing, white space and an empty list have no value', () => {
  for (const [layout, text] of [
    ['lines', ' \n'],
    ['items', ' [ ] '],
    ['items', ''],
    ['document', '\n'],
  ] as const)
    if (text !== '') assert.deepEqual(split(layout, text, 1), [], `${layout} ${text}`)
})

test('a wrong item is named by its number, and a list without an end or with more after it is refused', () => {
  const items = (text: string) => () => split('items', text, 3)
  assert.throws(items('[{"a":1},{"b"},{"c":2}]'), /^LoomlogError: f: item 2: not JSON/)
  assert.throws(items('[{"a":1},]'), /^LoomlogError: f: item 2: not JSON/)
  assert.throws(items('[{"a":1},{"b":2}'), /^LoomlogError: f: its list has no end after item 1/)
  assert.throws(items('[{"a":1}] [2]'), /^LoomlogError: f: there is a text after the end of its list/)
})

test('a line or a document that is too long is refused before its end is read', () => {
  const chunk = Buffer.alloc(64_000_000, 'x')
  for (const layout of ['lines', 'document'] as const) {
    const splitter = splitterOf(layout, 'f')
    const push = () => [...splitter.push(chunk)]
    for (let bytes = chunk.length; bytes <= maxValueBytes; bytes += chunk.length) push()
    assert.throws(push, /^LoomlogError: f(:1)?: one JSON value of more than 512 MB/)
  }
})
