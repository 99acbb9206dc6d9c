/** The records that the contract's tests write and read, and waits with a limit. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log, LogRecord, NewRecord } from '../port.ts'

export function textRecord(key: string | null, value: string, partition?: number): NewRecord {
  const record = { key, value: Buffer.from(value), timestamp: 1_700_000_000_000 }
  return key === null && partition !== undefined ? { ...record, partition } : record
}

export function text(record: LogRecord): string {
  return Buffer.from(record.value).toString()
}

/** `count` records under each key, `key:0` first. */
export function textRecords(keys: readonly string[], count: number): readonly NewRecord[] {
  return Array.from({ length: count }, (_, n) => keys.map((key) => textRecord(key, `${key}:${n}`))).flat()
}

/** Everything up to the end, partition by partition in order of offsets. */
export async function readAll(log: Log, topic: string): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = []
  for await (const batch of log.read({ topic, until: 'end' })) records.push(...batch)
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset)
}

/** The values under each key, in the order of the log. */
export function valuesByKey(records: readonly LogRecord[]): ReadonlyMap<string | null, readonly string[]> {
  const values = new Map<string | null, string[]>()
  for (const record of records) values.set(record.key, [...(values.get(record.key) ?? []), text(record)])
  return values
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Waits until `check` no longer throws, for `withinMs` at most; then throws its last error. */
export async function eventually(withinMs: number, check: () => void | Promise<void>): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await pause(20)
    }
  }
}

/** Awaits `work`, and fails with `what` if it takes longer than `withinMs`. */
export async function within<T>(withinMs: number, what: string, work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = pause(withinMs, null, { signal: timer.signal }).then(
    () => assert.fail(`${what} took longer than ${withinMs} ms`),
    () => assert.fail(what),
  )
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
  }
}
