/**
 * Runs commands one after the other in one process that has the modules loaded. Each command evaluates
 * packages/cli/main.ts again, with its own arguments and environment. Alone, a command would spend most of its time on
 * loading.
 *
 * A test that kills, signals or damages files, or that is about the end of a process, starts a process of its own
 * instead.
 */

export interface CommandRequest {
  readonly args: readonly string[]
  readonly environment: { readonly [name: string]: string }
}

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Thrown when the command ends the process. */
class ProcessExit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit with ${code}`)
    this.code = code
  }
}

const main = new URL('../../packages/cli/main.ts', import.meta.url)
const events = ['SIGINT', 'SIGTERM'] as const
const inherited = { ...process.env }
let evaluations = 0

process.on('message', async (request: CommandRequest) => process.send?.(await ran(request)))
process.on('disconnect', () => process.exit())

async function ran({ args, environment }: CommandRequest): Promise<CommandResult> {
  const { argv, exit } = process
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, inherited, environment)
  process.argv = [process.execPath, main.pathname, ...args]
  process.exitCode = undefined
  process.exit = (code) => {
    throw new ProcessExit(Number(code ?? process.exitCode ?? 0))
  }
  let thrown: unknown = null
  try {
    evaluations += 1
    await import(`${main}?${evaluations}`)
  } catch (error) {
    thrown = error
  }
  const ended = { stdout: stdout.end(), stderr: stderr.end() }
  for (const event of events) process.removeAllListeners(event)
  Object.assign(process, { argv, exit })
  const code = Number(process.exitCode ?? 0)
  if (thrown === null) return { ...ended, code }
  if (thrown instanceof ProcessExit) return { ...ended, code: thrown.code }
  const stack = thrown instanceof Error ? thrown.stack : thrown
  return { ...ended, code: 1, stderr: `${ended.stderr}${stack}\n` }
}

/** Captures the writes to a stream until the end of the command. */
function capture(stream: NodeJS.WriteStream) {
  const { write } = stream
  let text = ''
  stream.write = (data: Uint8Array | string) => {
    text += typeof data === 'string' ? data : Buffer.from(data).toString()
    return true
  }
  return {
    end() {
      stream.write = write
      stream.removeAllListeners('error')
      return text
    },
  }
}
