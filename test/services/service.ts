/** A service as a process of its own, with a health port, for tests. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { eventually } from '../eventually.ts'
import type { Environment } from '../pipeline/loomlog.ts'

export const runService = fileURLToPath(new URL('../../packages/app/run-service.ts', import.meta.url))

export interface StartedService {
  readonly process: ChildProcess
  /** The URL of its health endpoints. */
  readonly health: string
  output(): string
  /** The exit code. */
  readonly exit: Promise<number | null>
}

export async function startService(t: TestContext, name: string, environment: Environment): Promise<StartedService> {
  const [port] = await freePorts(1)
  const env = { ...process.env, LOOMLOG_HEALTH_PORT: String(port), ...environment }
  const child = spawn(process.execPath, [runService, name], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  t.after(() => child.kill('SIGKILL'))
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { process: child, health: `http://127.0.0.1:${port}`, output: () => output, exit }
}

export function untilReady(service: StartedService): Promise<void> {
  return untilHealth(service, '/readyz', 200, /^ok$/)
}

export async function untilHealth(
  { health, output }: StartedService,
  path: '/readyz' | '/livez',
  code: number,
  status: RegExp,
): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${health}${path}`)
    const body = (await response.json()) as { status: string }
    assert.match(body.status, status, output())
    assert.equal(response.status, code, output())
  }, 170_000)
}
