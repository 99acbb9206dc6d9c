import assert from 'node:assert/strict'
import { basename } from 'node:path'
import test, { describe } from 'node:test'
import { isTest, repositoryFiles, sources, textOf } from './sources.ts'

const mostLines = 300

/**
 * Files that may be longer, each with its limit and the reason. A ratchet: limits only go down, and short files leave
 * the list.
 */
const longer: { readonly [path: string]: { readonly lines: number; readonly because: string } } = {}

/** The modules of the published packages. */
const published = ['packages/client/index.ts', 'packages/loomlog/index.ts']
const drawers = /^(utils?|helpers?|common|misc|shared|manager|index|data)\b|-(utils?|helpers?|manager)\b/

/** Assembled from parts, so that this file does not match itself. */
const postponed = new RegExp(
  ['TO', 'FIX', 'XX'].map((start, index) => `\\b${start}${['DO', 'ME', 'X'][index]}\\b`).join('|'),
)

const prose = repositoryFiles.filter((path) => /\.(ts|md|yaml|yml|sh|mjs|cjs)$/.test(path))

function lineCount(path: string): number {
  return textOf(path).split('\n').length - 1
}

describe('tidy', () => {
  test(`no source file is longer than ${mostLines} lines without a reason`, () => {
    const found = sources.filter((path) => lineCount(path) > (longer[path]?.lines ?? mostLines))
    assert.deepEqual(found, [], 'A longer file holds two ideas: give the second one its own file.')
  })

  test('the list of longer files holds no file that is short enough', () => {
    const idle = Object.keys(longer).filter((path) => !sources.includes(path) || lineCount(path) <= mostLines)
    assert.deepEqual(idle, [], 'Remove them from the list in this test.')
  })

  test('files and folders have kebab-case names', () => {
    const odd = repositoryFiles.filter((path) =>
      path
        .split('/')
        .some(
          (part) =>
            !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(part) && !/^([A-Z]+\.md|Dockerfile(\.dockerignore)?)$/.test(part),
        ),
    )
    assert.deepEqual(odd, [], 'Name them like this: open-box.ts, find-shifts.v1.md, README.md.')
  })

  test('no file is a drawer for unrelated functions', () => {
    const found = sources.filter((path) => drawers.test(basename(path)) && !published.includes(path))
    assert.deepEqual(found, [], 'Put a function beside its only caller; name a file after its one idea.')
  })

  test('no comment postpones work', () => {
    const found = prose.filter((path) => postponed.test(textOf(path)))
    assert.deepEqual(found, [], 'Do it now, or document the limit.')
  })

  test('comments wrap where code does, at 120 characters', () => {
    const long = sources.flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, at) =>
          line.length > 120 && /^\s*(\/\*\*|\*|\/\/(?! biome-ignore))/.test(line) ? [`${path}:${at + 1}`] : [],
        ),
    )
    assert.deepEqual(long, [], 'Wrap the comment.')
  })

  test('no object literal is spread into another', () => {
    const found = sources.filter((path) => /(?<![\w)])\.\.\.\{/.test(textOf(path)))
    assert.deepEqual(found, [], 'Write its properties where it is spread.')
  })

  test('every source file opens with a paragraph about its purpose', () => {
    const silent = sources.filter((path) => !isTest(path) && !/^(#!.*\n)?\/\*\*\s/.test(textOf(path)))
    assert.deepEqual(silent, [], 'Open it with /** its purpose and its invariants */.')
  })
})
