/** The program of a contract test's child process: opens the log, plays its roles one after another, and exits. */
import type { Log } from '../port.ts'
import { playRole, type Role } from './roles.ts'

const [opener, argument, roles] = process.argv.slice(2)
if (opener === undefined || argument === undefined || roles === undefined) throw new Error('opener, argument, roles')
const mayCommit = new Promise<void>((resolve) => {
  process.on('message', (message) => {
    if (message === 'stop') process.kill(process.pid, 'SIGSTOP')
    else resolve()
  })
})
const module: { open(argument: string): Log | Promise<Log> } = await import(opener)
const log = await module.open(argument)
const stage = { log, mayCommit, send: (message: object) => void process.send?.(message) }
for (const role of JSON.parse(roles) as readonly Role[]) await playRole(role, stage)
await log.close()
process.disconnect()
