import assert from 'node:assert/strict'
import test from 'node:test'
import { blocksIn, count, fillBlock, percent, share, table, time } from './blocks.ts'
import { commandOf } from './result.ts'

test('a block is filled between its markers, and the text around it stays', () => {
  const text = 'a\n<!-- measured: x -->\n| old |\n<!-- /measured -->\nb\n<!-- measured: y -->\n<!-- /measured -->\n'
  const block = { file: 'README.md', name: 'y', lines: ['| 1 |', '| 2 |'] }
  assert.deepEqual(blocksIn(text), ['x', 'y'])
  assert.equal(fillBlock(text, block), text.replace('<!-- measured: y -->\n', '<!-- measured: y -->\n| 1 |\n| 2 |\n'))
  assert.equal(fillBlock(fillBlock(text, block), block), fillBlock(text, block))
  assert.throws(() => fillBlock('a', block), /README\.md has no block y/)
})

test('shares and times are formatted for tables', () => {
  assert.deepEqual(table(['a', ''], [['1', '']]), ['| a | |', '|---|---|', '| 1 | |'])
  assert.deepEqual([share(0.9094), share(1), share(-0.01), share(0.5, 2)], ['.909', '1.000', '-.010', '.50'])
  assert.deepEqual([percent(0.294), percent(0.001, 1), count(25724.4)], ['29 %', '0.1 %', '25,724'])
  assert.equal(time(479_700), '8 min 0 s')
  assert.deepEqual([75.4, 2_100, 3_000, 100_000, 421_000].map(time), ['75 ms', '2.1 s', '3 s', '100 s', '7 min 1 s'])
})

test('the command of a result has placeholders for paths', () => {
  const args = ['recall', '--rows', '200', '--data', '/a/b.json', '--dir', 'kept', '--json', 'x.json']
  assert.equal(commandOf('bench -- recall', args), 'npm run bench -- recall --rows 200 --data FILE --dir DIR')
})
