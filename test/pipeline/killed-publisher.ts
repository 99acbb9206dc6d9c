/**
 * Runs the publisher on any log, after kills at named points, and compares its feed with the views of the live
 * generation.
 */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import type { CrashPoint } from '@loomlog/log/crash-points'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { foldFeed } from '../../services/publisher/feed-fold.ts'
import { type Environment, startProgram } from './loomlog.ts'
import { feedOf, viewMemories } from './memory-feed.ts'
import { publishAll } from './publish-all.ts'

const program = fileURLToPath(new URL('./publish-once.ts', import.meta.url))

/** Publishes everything, with a kill at each of the points before. */
export async function publishUnderKills(environment: Environment, killedAt: readonly CrashPoint[]): Promise<void> {
  for (const point of killedAt) {
    const { signal, stderr } = await startProgram([], { ...environment, LOOMLOG_CRASH_AT: point }, program).finished
    assert.equal(signal, 'SIGKILL', `${point} is never reached. ${stderr}`)
  }
  await publishAll(environment)
}

export async function assertFeedEqualsViews(environment: Environment, space = 'default/default'): Promise<void> {
  const host = await openHost(configFrom(environment))
  try {
    const { memories } = foldFeed(await feedOf(host)).get(space) ?? { memories: new Map() }
    assert.ok(memories.size > 20, `${memories.size} memories`)
    assert.deepEqual([...memories].sort(), [...(await viewMemories(host, space))].sort())
  } finally {
    await host.close()
  }
}

export async function readFeed(environment: Environment): Promise<readonly PublishedEvent[]> {
  const host = await openHost(configFrom(environment))
  try {
    return await feedOf(host)
  } finally {
    await host.close()
  }
}
