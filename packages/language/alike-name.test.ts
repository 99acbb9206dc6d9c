import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alikeName } from './alike-name.ts'

const alike: readonly (readonly [string, string])[] = [
  ['upper and lower case', 'mallory'],
  ['full-width letters', 'Ｍａｌｌｏｒｙ'],
  ['a Cyrillic а', 'M\u0430llory'],
  ['a Cyrillic М', '\u041Callory'],
  ['a zero-width space', 'Mal\u200Blory'],
  ['a soft hyphen', 'Mal\u00ADlory'],
  ['a Greek ο', 'Mall\u03BFry'],
  ['Cyrillic capitals among others', '\u041C\u0410LL\u041ERY'],
  ['mathematical letters', '𝐌𝐚𝐥𝐥𝐨𝐫𝐲'],
  ['outer white space', ' Mallory\u3000'],
]
for (const [what, name] of alike)
  test(`${what} makes no other name`, () => assert.equal(alikeName(name), alikeName('Mallory')))

test('other names stay other names', () => {
  const names = [
    'Ian',
    'Lan',
    'Bern',
    'Bem',
    'AI',
    'Al',
    'agent 1',
    'agent l',
    'O2',
    '02',
    'Mallory',
    'Malory',
    'Mallory B',
    'José',
    'Jose',
    'Анна',
    'Anna',
    '李雷',
    '李蕾',
    'Zoë',
    'Zoe',
    'Åsa',
    'Asa',
  ]
  assert.equal(new Set(names.map(alikeName)).size, names.length)
})
