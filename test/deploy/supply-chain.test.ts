/** Pinned versions of the runtime, and the bill of materials. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

test('the tests, the image and CI run the same version of Node', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: { node: string } }
  assert.match(devDependencies.node, /^\d+\.\d+\.\d+$/, 'an exact version')
  assert.equal(process.version, `v${devDependencies.node}`)
  assert.ok(read('deploy/Dockerfile').includes(`FROM node:${devDependencies.node}-slim`))
  const inCi = [...read('.github/workflows/ci.yml').matchAll(/node-version: (\S+)/g)].map(([, version]) => version)
  assert.deepEqual(new Set(inCi), new Set([devDependencies.node]))
})

test('npm run sbom lists the production dependencies, and no development tool', async () => {
  const run = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 50_000_000 })
  const { bomFormat, components } = JSON.parse(run.stdout) as { bomFormat: string; components: { name: string }[] }
  const names = components.map(({ name }) => name)
  assert.equal(bomFormat, 'CycloneDX')
  assert.ok(names.includes('kafkajs') && names.includes('@lancedb/lancedb'))
  assert.ok(!names.includes('typescript'))
})
