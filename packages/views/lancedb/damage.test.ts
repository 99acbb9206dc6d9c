/** A damaged file is `view-corrupt`. Any other failure is `view-unavailable`, and the shard stays. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isLoomlogError } from '@loomlog/errors'
import { viewError } from './errors.ts'
import { fakeObjectStore, type StoreFailure } from './fake-object-store.ts'
import { temporaryFolder } from './fixture.ts'
import { writerCommands } from './writer-commands.ts'

const program = fileURLToPath(new URL('writer-process.ts', import.meta.url))

/**
 * A process with a writer and a reader in the object store. Returns the function that runs a command in it and gives
 * the outcome.
 */
async function writerProcess(t: TestContext, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program, 's3://bucket/views'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  })
  t.after(() => child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, 'ready')
  return async (command: string): Promise<string> => {
    child.stdin.write(`${command}\n`)
    return String((await lines.next()).value)
  }
}

const reads = ['scan', 'changes', 'rows']
const writes = ['apply', 'patch', 'putIfAbsent']

test('an object store that fails leaves the shard as it is, and the batch may be tried again', async (t) => {
  const store = await fakeObjectStore(t)
  const run = await writerProcess(t, store.environment)
  for (const command of [...writes, ...reads]) assert.equal(await run(command), 'ok', command)
  const failures: readonly (readonly [StoreFailure, readonly string[]])[] = [
    [{ status: 403, code: 'InvalidAccessKeyId' }, ['apply', 'putIfAbsent', 'rows', 'open']],
    [{ status: 503, code: 'SlowDown' }, ['patch', 'scan']],
  ]
  for (const [failure, commands] of failures) {
    store.failure = failure
    for (const command of commands)
      assert.match(await run(command), /^view-unavailable .*can't be read/, `${JSON.stringify(failure)} ${command}`)
    store.failure = null
    for (const command of ['apply', 'scan']) assert.equal(await run(command), 'ok', command)
  }
})

test('an object that is missing from the object store is damage', async (t) => {
  const store = await fakeObjectStore(t)
  const run = await writerProcess(t, store.environment)
  assert.equal(await run('apply'), 'ok')
  for (const key of store.objects.keys()) if (key.includes('/data/')) store.objects.delete(key)
  for (const command of ['scan', 'patch']) assert.match(await run(command), /^view-corrupt /, command)
})

test('memory, disk and conflicts are no damage, although LanceDB reports them as its own errors', () => {
  for (const message of [
    'lance error: LanceError(Arrow): External error: Resources exhausted: Failed to allocate additional 8 MB',
    'lance error: LanceError(IO): Generic LocalFileSystem error: Input/output error (os error 5)',
    'lance error: LanceError(IO): No space left on device (os error 28)',
    'lance error: Retryable commit conflict for version 7',
  ]) {
    const error = viewError('p0', Object.assign(new Error(message), { code: 'GenericFailure' }))
    assert.ok(isLoomlogError(error, 'view-unavailable'), message)
  }
})

test('a value that is no JSON is damage', async (t) => {
  const views = await temporaryFolder(t)
  const run = await writerCommands(views)
  assert.equal(await run('apply'), 'ok')
  const files = (await readdir(views, { recursive: true })).filter((file) => /\/data\/.*lance$/.test(file))
  for (const file of files) {
    const bytes = await readFile(join(views, file))
    const at = bytes.indexOf('{"derivation"')
    if (at >= 0) await writeFile(join(views, file), bytes.fill('x', at, at + 1))
  }
  for (const command of ['scan', 'rows']) assert.match(await run(command), /^view-corrupt .*no JSON/, command)
})

const damages: { readonly [name: string]: (file: string) => Promise<unknown> } = {
  'is missing': (file) => rm(file),
  'is empty': (file) => truncate(file, 0),
  'is cut short': async (file) => truncate(file, Math.floor((await readFile(file)).length / 2)),
  'is garbage': async (file) => writeFile(file, Buffer.alloc((await readFile(file)).length, 'garbage ')),
  'is a folder': async (file) => rm(file).then(() => mkdir(file)),
}

for (const [kind, pattern] of Object.entries({ 'data file': /\/data\/.*lance$/, manifest: /\.manifest$/ })) {
  for (const [name, damage] of Object.entries(damages)) {
    test(`an open writer and its readers call it damage when a ${kind} ${name}`, async (t) => {
      const views = await temporaryFolder(t)
      const run = await writerCommands(views)
      assert.equal(await run('apply'), 'ok')
      const files = (await readdir(views, { recursive: true })).filter((file) => pattern.test(file))
      for (const file of files) await damage(join(views, file))
      for (const command of ['patch', 'putIfAbsent', ...reads])
        assert.match(await run(command), /^view-corrupt /, command)
    })
  }
}
