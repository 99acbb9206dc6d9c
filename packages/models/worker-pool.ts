/**
 * A pool of worker threads that share one queue of jobs. A thread starts when there is work for it, runs one job at a time, and keeps the
 * process alive only while it works. A thread that dies fails its job and is replaced for the next.
 *
 * The script listens for `message`, and answers each with `{ value }`, or with `{ refused }` and the reason.
 */
import { Worker } from 'node:worker_threads'
import { LoomlogError } from '@loomlog/errors'
import { ModelUnavailable } from './unavailable.ts'

export type WorkerReply<Out> = { readonly value: Out } | { readonly refused: string }

interface WorkerPool<In, Out> {
  /** @throws ModelUnavailable if the thread dies, LoomlogError `model-refused`, or the signal's reason while the job is queued */
  run(input: In, signal: AbortSignal | undefined): Promise<Out>
  /** Idempotent. */
  close(): Promise<void>
}

interface Job<In, Out> {
  readonly input: In
  readonly signal: AbortSignal | undefined
  readonly resolve: (value: Out) => void
  readonly reject: (error: unknown) => void
}

interface Thread<In, Out> {
  readonly worker: Worker
  job: Job<In, Out> | null
}

interface WorkerPoolOptions {
  /** For error messages. */
  readonly name: string
  readonly script: URL
  readonly threads: number
}

export function workerPool<In, Out>({ name, script, threads }: WorkerPoolOptions): WorkerPool<In, Out> {
  if (!Number.isInteger(threads) || threads < 1) throw new Error('threads is a whole number from 1 on')
  const queue: Job<In, Out>[] = []
  const alive = new Set<Thread<In, Out>>()
  let closed = false

  function start(): Thread<In, Out> {
    // Flags of the process (--input-type, --test…) aren't meant for the thread.
    const thread: Thread<In, Out> = { worker: new Worker(script, { name, execArgv: [] }), job: null }
    let cause: unknown
    thread.worker.on('message', (reply: WorkerReply<Out>) => {
      const job = thread.job
      thread.job = null
      if ('value' in reply) job?.resolve(reply.value)
      else job?.reject(new LoomlogError('model-refused', `${name}: ${reply.refused}`))
      dispatch()
    })
    thread.worker.on('error', (error) => {
      cause = error
    })
    thread.worker.on('exit', (exitCode) => {
      alive.delete(thread)
      const why = cause instanceof Error ? cause.message : `exit code ${exitCode}`
      thread.job?.reject(closed ? closedError() : new ModelUnavailable(`a thread of ${name} died: ${why}`, { cause }))
      dispatch()
    })
    alive.add(thread)
    return thread
  }

  function idle(): Thread<In, Out> | undefined {
    for (const thread of alive) if (thread.job === null) return thread
    return alive.size < threads ? start() : undefined
  }

  function dispatch(): void {
    if (closed) return
    while (queue.length > 0) {
      const thread = idle()
      const job = thread && queue.shift()
      if (!job) break
      if (job.signal?.aborted) {
        job.reject(job.signal.reason)
        continue
      }
      thread.job = job
      thread.worker.ref()
      thread.worker.postMessage(job.input)
    }
    for (const thread of alive) if (thread.job === null) thread.worker.unref()
  }

  function closedError(): Error {
    return new Error(`${name} is closed`)
  }

  return {
    run(input, signal) {
      if (closed) return Promise.reject(closedError())
      return new Promise((resolve, reject) => {
        queue.push({ input, signal, resolve, reject })
        dispatch()
      })
    },
    async close() {
      closed = true
      for (const job of queue.splice(0)) job.reject(closedError())
      await Promise.all([...alive].map((thread) => thread.worker.terminate()))
    },
  }
}
