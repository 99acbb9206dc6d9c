/**
 * Compares docker-compose.yml with the services: it starts every one, and sets only variables that packages/host reads.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { servicesOf } from '@loomlog/app/services'
import { configFrom } from '@loomlog/host/config'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const compose = read('docker-compose.yml')
const settings = [...compose.matchAll(/^\s+(LOOMLOG_\w+): "?(.*?)"?$/gm)]
const run = promisify(execFile)
// Before the first test: `--test-force-exit` drops tests that are registered after an await.
const tool = await composeTool()

test('every variable in docker-compose.yml is documented, and together they configure a process', () => {
  assert.ok(settings.length > 5)
  const documented = read('docs/settings.md')
  for (const [, name] of settings) assert.ok(documented.includes(`\`${name}\``), `${name} is not in docs/settings.md`)
  const config = configFrom(Object.fromEntries(settings.map(([, name, value]) => [name, value])))
  assert.equal(config.log.kind, 'kafka')
})

test('docker-compose.yml has every service, the broker and the registry, each with a health check', () => {
  const services = servicesOf({ extensions: [] })
  assert.ok(services.length > 5)
  for (const { name } of services)
    assert.ok(compose.includes(`command: ["node", "packages/app/run-service.ts", "${name}"]`), name)
  // One that the services share, one of the broker, and one of the registry.
  assert.equal(compose.match(/^ +healthcheck:$/gm)?.length, 3)
})

test('the broker and the registry have the versions that the tests run against', () => {
  const jars = read('deploy/kafka-local/jars.ts')
  for (const image of [/apache\/kafka:(.*)/, /apicurio-registry-kafkasql:(.*)/]) {
    const version = image.exec(compose)?.[1]
    assert.ok(version && jars.includes(`'${version}'`), `${version}`)
  }
})

test('the files that docker-compose.yml names exist', () => {
  for (const path of ['deploy/Dockerfile', 'packages/cli/main.ts', 'packages/app/run-service.ts']) {
    assert.ok(compose.includes(path) && existsSync(`${root}${path}`), path)
  }
})

test('docker compose accepts docker-compose.yml', {
  skip: tool ? false : 'neither docker compose nor docker-compose is installed',
}, async () => {
  const [file = '', ...args] = tool ?? []
  await run(file, [...args, '-f', `${root}docker-compose.yml`, '--profile', 'cli', 'config', '-q'])
})

async function composeTool(): Promise<readonly string[] | null> {
  for (const [file = '', ...args] of [['docker', 'compose'], ['docker-compose']]) {
    try {
      await run(file, [...args, 'version'])
      return [file, ...args]
    } catch {
      // Try the next name.
    }
  }
  return null
}
