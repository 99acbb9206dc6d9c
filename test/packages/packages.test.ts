import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pack, unpack } from './tarballs.ts'
import { tryLibrary } from './trial.ts'

test('the packed package answers a question, and loads no package for servers, Kafka and models', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-packages-'))
  try {
    const [tarball = ''] = await pack(folder, ['loomlog'])
    await unpack(join(folder, 'app'), tarball)
    await tryLibrary(join(folder, 'app'), process.execPath)
  } finally {
    await rm(folder, { recursive: true })
  }
})
