import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProgram } from '../pipeline/loomlog.ts'

test('with an empty USER a command is asked for by cli, as without one', async () => {
  const { code, stdout } = await startProgram(['webhooks', 'create', '--help'], { USER: '' }).finished
  assert.equal(code, 0)
  assert.match(stdout, /default:\s+"cli"/)
})
