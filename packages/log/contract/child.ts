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
  readonly said: readonly ChildMessage[]
  /** Resolves with the signal that killed it, or null for exit code 0; rejects for every other exit code. */
  readonly ended: Promise<NodeJS.Signals | null>
  /** Waits for its first message of this kind. */
  hears<K extends ChildMessage['said']>(kind: K, withinMs: number): Promise<Extract<ChildMessage, { readonly said: K }>>
  tell(): void
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
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
  const said: ChildMessage[] = []
  child.on('message', (message: ChildMessage) => said.push(message))
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code !== 0 && signal === null) throw new Error(`the child ended with code ${code}: ${complaint}`)
    return signal as NodeJS.Signals | null
  })
  ended.catch(() => {})
  return {
    said,
    ended,
    async hears(kind, withinMs) {
      const found = () =>
        said.find((message): message is Extract<ChildMessage, { said: typeof kind }> => message.said === kind)
      await eventually(withinMs, () => assert.ok(found(), `the child never said ${kind}, only ${JSON.stringify(said)}`))
      return found() as Extract<ChildMessage, { said: typeof kind }>
    },
    tell: () => child.send('commit'),
    signal: (signal) => assert.ok(child.kill(signal)),
    async kill() {
      child.kill('SIGKILL')
      await ended.catch(() => {})
    },
  }
}
