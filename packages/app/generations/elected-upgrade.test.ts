import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import pino from 'pino'
import { eventually } from '../../../test/eventually.ts'
import { processorsOf } from '../processors.ts'
import { prepareGenerations } from './configured-generation.ts'
import { electUpgrade } from './elected-upgrade.ts'

test('a process that could not join the election tries again, and then leads the upgrade', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-election-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const older = processorsOf(host).map((processor) => ({ ...processor, revision: processor.revision - 1 }))
  await prepareGenerations(host, older)
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
  const away = new LoomlogError('log-unavailable', 'the broker is away')
  let joins = 0
  const log: typeof host.log = {
    ...host.log,
    join: (options) => (++joins === 1 ? Promise.reject(away) : host.log.join(options)),
  }
  const { signal } = new AbortController()
  const logger = pino({ level: 'silent' })
  const election = await electUpgrade({ host: { ...host, log }, follower, logger, signal, onError })
  t.after(async () => {
    await election.close()
    await follower.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  await eventually(async () => assert.equal(follower.current.generations.size, 2, 'the successor is defined'))
  assert.deepEqual([joins, errors], [2, [away]])
})
