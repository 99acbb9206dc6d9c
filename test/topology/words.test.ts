/**
 * Keeps riddles out of prose, names and commit titles. `wording.ts` lists the words to avoid; CONTRIBUTING.md says how
 * to write.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test, { describe, type TestContext } from 'node:test'
import { occurrences, proseOf } from './prose.ts'
import { root, sources } from './sources.ts'
import { checkedFiles, nameFaults, phrases, proseFaults } from './wording.ts'

/** Titles are checked from the commit after this one. */
const base = '9100856'

function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

/**
 * Titles after the base. A shallow clone that begins after the base gives all of its titles. Null without this history.
 */
function titlesAfterBase(): readonly string[] | null {
  const known = git('merge-base', '--is-ancestor', base, 'HEAD') !== null
  if (!known && git('rev-parse', '--is-shallow-repository') !== 'true') return null
  const log = git('log', '--no-merges', '--format=%s', known ? `${base}..HEAD` : 'HEAD')
  return log === null ? null : log.split('\n').filter((title) => title !== '')
}

describe('words', () => {
  test('prose names its nouns', () => {
    assert.deepEqual(checkedFiles.flatMap(proseFaults), [], 'Rewrite these sentences; CONTRIBUTING.md says how.')
  })

  test('files and types are named by nouns, not by bare participles or riddles', () => {
    const advice = 'Name the thing: OpenRequest, not Asked; recall-request.ts, not asked.ts.'
    assert.deepEqual(sources.flatMap(nameFaults), [], advice)
  })

  test('a phrase is found in comments, titles and messages, across lines, and nowhere else', () => {
    const source = [
      '/**',
      ' * a wide',
      ' * hat',
      ' */',
      "const a = 'wide hat'",
      '// wide hat?',
      "fail('a wide ' + 'hat is here')",
    ]
    const text = [...source, 'wide.hat(/wide hat/)', "test('wide hats are worn here', () => {})"].join('\n')
    const lines = (path: string) => occurrences(proseOf(path, text), /wide hat/)
    assert.deepEqual(lines('a.ts'), ['2: wide hat', '6: wide hat', '7: wide hat', '9: wide hat'])
    assert.deepEqual(lines('a.test.ts'), ['2: wide hat', '6: wide hat', '9: wide hat'])
  })

  test('every phrase to avoid is found in a sentence that has it', () => {
    for (const { avoid, example } of phrases)
      assert.equal(occurrences(proseOf('a.md', example), avoid).length, 1, example)
  })

  test('a commit title names its area and the change in at most 72 characters', (t: TestContext) => {
    const titles = titlesAfterBase()
    if (titles === null)
      return t.diagnostic(`commit titles were not checked: this folder has no git history with ${base}`)
    const wrong = titles.filter((title) => title.length > 72 || !/^[a-z0-9][a-z0-9 ,/.-]*: \S/.test(title))
    assert.deepEqual(wrong, [], 'Write "area: change", at most 72 characters; the body says why.')
  })
})
