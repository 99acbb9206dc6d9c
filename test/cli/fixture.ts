/**
 * The fixture of the command line's tests: a folder, a fake embedder, answers by rules, and commands as a user types
 * them.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeEndpoint, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import {
  type Environment,
  loomlog,
  type ProcessResult,
  type RunningProgram,
  startProgram,
} from '../pipeline/loomlog.ts'

export interface CommandFixture {
  readonly folder: string
  readonly environment: Environment
  /** The endpoint of the embedder. */
  readonly endpoint: FakeEndpoint
  /** Runs a command on the log in `folder`. */
  run(...args: readonly string[]): Promise<ProcessResult>
  start(...args: readonly string[]): RunningProgram
  file(name: string, content: string | Uint8Array): Promise<string>
  /** Ends the started programs, then removes the folder: a program that still writes would fill it again. */
  remove(): Promise<void>
}

export async function commandFixture(): Promise<CommandFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-cli-'))
  const endpoint = await startFakeEndpoint({ dimensions: 16 })
  const environment = {
    LOOMLOG_DIR: join(folder, 'log'),
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'fake-key',
    LOOMLOG_EMBEDDER: 'openai:fake-embedder',
    LOOMLOG_EMBEDDER_DIMENSIONS: '16',
  }
  const started: RunningProgram[] = []
  return {
    folder,
    environment,
    endpoint,
    run: (...args) => loomlog(args, environment),
    start(...args) {
      const program = startProgram(args, environment)
      started.push(program)
      return program
    },
    async file(name, content) {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    },
    async remove() {
      for (const program of started) program.process.kill('SIGKILL')
      await Promise.all(started.map((program) => program.finished))
      await endpoint.close()
      await rm(folder, { recursive: true })
    },
  }
}

export function utteranceLine(fields: object = {}): string {
  const defaults = { conversation: 'c', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text: 'I live in Lisbon.' }
  return `${JSON.stringify({ ...defaults, ...fields })}\n`
}

/** Asserts the exit code and the text on stderr: a few lines without a stack trace. */
export function assertRefused(run: ProcessResult, code: number, says: RegExp): void {
  assert.equal(run.code, code, run.stderr)
  assert.match(run.stderr, says)
  assert.doesNotMatch(run.stderr, /^\s+at |node:internal/m, 'a stack trace')
  assert.ok(run.stderr.split('\n').length < 10, run.stderr)
}

export function assertSucceeded(run: ProcessResult): void {
  assert.equal(run.code, 0, run.stderr)
  assert.doesNotMatch(run.stderr, /^\s+at |node:internal/m, 'a stack trace')
}

/** Asserts that every line of stdout is JSON. */
export function jsonLines(run: ProcessResult): { readonly [name: string]: unknown }[] {
  return run.stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
}
