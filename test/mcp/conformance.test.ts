/** The conformance suite of the Model Context Protocol. `conformance.yml` names the scenarios that are left out. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testServer } from './server.ts'

const run = promisify(execFile)
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const leftOut = fileURLToPath(new URL('conformance.yml', import.meta.url))

test('passes the conformance suite of the protocol', async (t) => {
  const { url } = await testServer(t)
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-mcp-'))
  t.after(() => rm(folder, { recursive: true }))
  const address = `${url}/v1/spaces/team/mcp`
  await run(process.execPath, [suite, 'server', '--url', address, '--expected-failures', leftOut], { cwd: folder })
})
