import assert from 'node:assert/strict'
import test from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { halves, parseScenario, readScenarios } from './scenarios.ts'

test('a mark names an earlier line', () => {
  const { lines } = parseScenario(
    '# move\nAda: I live in Graz.\nBo: I live in Ulm. !1\n+3d Ada: I moved to Linz. <1 !2',
  )
  assert.deepEqual(
    lines.map(({ was, alike }) => [was, alike]),
    [
      [[], []],
      [[], [0]],
      [[0], [1]],
    ],
  )
  for (const mark of ['<2', '!2', '<3', '!0', '<1,2']) {
    const scenario = `# move\nAda: I live in Graz.\nAda: I moved to Linz. ${mark}`
    assert.throws(
      () => parseScenario(scenario),
      (error) => isLoomlogError(error, 'input-invalid'),
      mark,
    )
  }
})

test('the marks of every file name earlier lines', () => {
  for (const half of halves) assert.ok(readScenarios(half).length > 0, half)
})
