/** The memory of another process. */
import { readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers/promises'

/** The peak resident memory of a process, from /proc (Linux); null elsewhere. */
export async function peakMemory(pid: number, signal: AbortSignal): Promise<number | null> {
  let peak: number | null = null
  try {
    for await (const _ of setInterval(200, undefined, { signal })) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
      if (kilobytes !== undefined) peak = Number(kilobytes) * 1_024
    }
  } catch {
    // The process has ended, or there is no /proc.
  }
  return peak
}
