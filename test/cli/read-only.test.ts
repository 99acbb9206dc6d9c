/** Commands that only read, on a read-only folder. If the tests run as root, the commands run as another user. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fixture, ingestAndHash } from '../pipeline/fixture.ts'

const nobody = 65_534
const otherUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
const main = fileURLToPath(new URL('../../packages/cli/main.ts', import.meta.url))

test('recall, why, dump and status read a folder that cannot be written', async (t) => {
  const made = await fixture(t, 8, { LOOMLOG_PARTITIONS: '1' })
  const dir = join(made.dir, 'log')
  const sha256 = await ingestAndHash(made, dir)
  const before = await files(dir)
  await changeModes(made.dir, { file: 0o444, folder: 0o555 })
  const expected = {
    'recall Who needs a new engine?': /boat needs a new engine/,
    [`why ${made.ids[0]}`]: /boat needs a new engine/,
    'dump --hash': new RegExp(sha256),
    status: /"lag":0/,
  }
  try {
    for (const [command, pattern] of Object.entries(expected)) {
      const [name = '', ...rest] = command.split(' ')
      const args = rest.length === 0 ? [name] : [name, rest.join(' ')]
      const { code, stdout, stderr } = await runCommand([...args, '--dir', dir, '--json'], made.environment)
      assert.equal(code, 0, `${command}: ${stderr}`)
      assert.match(stdout, pattern)
    }
    assert.deepEqual(await files(dir), before)
  } finally {
    await changeModes(made.dir, { file: 0o644, folder: 0o755 })
  }
})

function runCommand(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const options = { ...otherUser, env: { ...process.env, ...environment, HOME: '/nonexistent' } }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [main, ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

async function files(dir: string): Promise<readonly string[]> {
  return (await readdir(dir, { recursive: true })).sort()
}

async function changeModes(dir: string, modes: { readonly file: number; readonly folder: number }): Promise<void> {
  for (const name of await readdir(dir, { recursive: true })) {
    const path = join(dir, name)
    if ((await stat(path)).isFile()) await chmod(path, modes.file)
    else await chmod(path, modes.folder)
  }
  await chmod(dir, modes.folder)
}
