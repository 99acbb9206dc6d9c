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

/** LanceDB for these platforms was not in the registry when the lockfile was written. */
const withoutIntegrity = ['darwin-arm64', 'linux-arm64-gnu', 'linux-arm64-musl', 'win32-arm64-msvc', 'win32-x64-msvc']

test('every package of the lockfile has the checksum of its content, except LanceDB for five other platforms', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: { [path: string]: { link?: true; integrity?: string } }
  }
  const missing = Object.entries(packages)
    .filter(
      ([path, { link, integrity }]) => path.includes('node_modules/') && !link && !/^sha512-/.test(integrity ?? ''),
    )
    .map(([path]) => path)
  assert.deepEqual(
    missing,
    withoutIntegrity.map((platform) => `node_modules/@lancedb/lancedb-${platform}`),
  )
})

test('CI runs every action at a commit, and names its version', () => {
  const uses = [...read('.github/workflows/ci.yml').matchAll(/uses: (.+)/g)].map(([, action = '']) => action)
  assert.ok(uses.length > 4)
  for (const action of uses) assert.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('the image installs packages and runs as an ordinary user', () => {
  const [, ...stages] = read('deploy/Dockerfile').split(/^FROM /m)
  assert.equal(stages.length, 2)
  for (const stage of stages) {
    const [asRoot = '', asUser] = stage.split(/^USER node$/m)
    assert.ok(asUser !== undefined, 'a stage without a user')
    assert.doesNotMatch(asRoot, /npm/)
    assert.doesNotMatch(asUser, /^USER /m)
  }
})

test('npm run sbom lists the production dependencies, and no development tool', async () => {
  const run = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 50_000_000 })
  const { bomFormat, components } = JSON.parse(run.stdout) as { bomFormat: string; components: { name: string }[] }
  const names = components.map(({ name }) => name)
  assert.equal(bomFormat, 'CycloneDX')
  assert.ok(names.includes('kafkajs') && names.includes('@lancedb/lancedb'))
  assert.ok(!names.includes('typescript'))
})
