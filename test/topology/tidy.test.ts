import assert from 'node:assert/strict'
import { basename } from 'node:path'
import test, { describe } from 'node:test'
import { isTest, sources, textOf, written } from './sources.ts'

const mostLines = 300

/**
 * Files that are longer, with how long they may be and why. A ratchet: the numbers only go down, and a file that no longer
 * needs its place here loses it.
 */
const longer: { readonly [path: string]: { readonly lines: number; readonly because: string } } = {}

const drawers = /^(utils?|helpers?|common|misc|shared|manager|index|data)\b|-(utils?|helpers?|manager)\b/

/** Put together here, so that this file does not find itself. */
const postponed = new RegExp(
  ['TO', 'FIX', 'XX'].map((start, index) => `\\b${start}${['DO', 'ME', 'X'][index]}\\b`).join('|'),
)

const prose = written.filter((path) => /\.(ts|md|yaml|yml|sh|mjs|cjs)$/.test(path))

function lineCount(path: string): number {
  return textOf(path).split('\n').length - 1
}

describe('tidy', () => {
  test(`no source file is longer than ${mostLines} lines, but for those with a reason`, () => {
    const found = sources.filter((path) => lineCount(path) > (longer[path]?.lines ?? mostLines))
    assert.deepEqual(found, [], 'A file that grows past this is two ideas: give the second one its own file.')
  })

  test('the list of longer files holds no file that could do without', () => {
    const idle = Object.keys(longer).filter((path) => !sources.includes(path) || lineCount(path) <= mostLines)
    assert.deepEqual(idle, [], 'Take them off the list in this test.')
  })

  test('files and folders have kebab-case names', () => {
    const odd = written.filter((path) =>
      path
        .split('/')
        .some(
          (part) =>
            !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(part) && !/^([A-Z]+\.md|Dockerfile(\.dockerignore)?)$/.test(part),
        ),
    )
    assert.deepEqual(odd, [], 'Name them like this: open-box.ts, classify-shift.v1.md, README.md.')
  })

  test('no file is a drawer for what has no home', () => {
    const found = sources.filter((path) => drawers.test(basename(path)))
    assert.deepEqual(
      found,
      [],
      'A homeless function lives beside its only caller; a file is called after its one idea.',
    )
  })

  test('nothing is put off in a comment', () => {
    const found = prose.filter((path) => postponed.test(textOf(path)))
    assert.deepEqual(found, [], 'Do it now, or write down as a limit what does not work.')
  })

  test('every source file opens with a paragraph that says what it is', () => {
    const silent = sources.filter((path) => !isTest(path) && !/^(#!.*\n)?\/\*\*\s/.test(textOf(path)))
    assert.deepEqual(silent, [], 'Open it with /** what it is, and what always holds */.')
  })
})
