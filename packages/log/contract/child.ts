/**
 * A child process with a handle on the log. Its messages are collected here, and it can be stopped, resumed and killed.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from './records.ts'
import type { ChildMessage, Role } from './roles.ts'

export interface Child {
  /** Its messages so far. */
  readonly messages: readonly ChildMessage[]
  /** Resolves with the signal that killed it, or null for exit code 0; rejects for every other exit code. */
  readonly ended: Promise<NodeJS.Signals | null>
  /** Waits for its first message of this kind. */
  waitForMessage<K extends ChildMessage['kind']>(
    kind: K,
    withinMs: number,
  ): Promise<Extract<ChildMessage, { readonly kind: K }>>
  allowCommit(): void
  /**
   * It stops itself between two pieces of work: stopped from outside, it may hold the lock of the log's file, and block
   * every writer.
   */
  stop(): void
  resume(): void
  kill(): Promise<void>
}

export function startChild(opener: string, argument: string, roles: readonly Role[], env: NodeJS.ProcessEnv): Child {
  const program = new URL('child-main.ts', import.meta.url)
  const child = fork(program, [opener, argument, JSON.stringify(roles)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const messages: ChildMessage[] = []
  child.on('message', (message: ChildMessage) => messages.push(message))
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code !== 0 && signal === null) throw new Error(`the child ended with code ${code}: ${complaint}`)
    return signal as NodeJS.Signals | null
  })
  ended.catch(() => {})
  return {
    messages,
    ended,
    async waitForMessage(kind, withinMs) {
      const found = () =>
        messages.find((message): message is Extract<ChildMessage, { kind: typeof kind }> => message.kind === kind)
      await eventually(withinMs, () =>
        assert.ok(found(), `the child never sent ${kind}, only ${JSON.stringify(messages)}`),
      )
      return found() as Extract<ChildMessage, { kind: typeof kind }>
    },
    allowCommit: () => child.send('commit'),
    stop: () => child.send('stop'),
    resume: () => assert.ok(child.kill('SIGCONT')),
    async kill() {
      child.kill('SIGKILL')
      await ended.catch(() => {})
    },
  }
}
