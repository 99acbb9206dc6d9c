/**
 * `main.ts start [folder] [--nodes 3]` starts a local Kafka and registry that live on, prints their addresses, and
 * notes them in the folder; `main.ts stop [folder]` ends them. Data stays in the folder, by default one in the user's
 * cache.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cacheDir } from './jars.ts'
import { startLocalKafka } from './kafka-local.ts'

interface Info {
  readonly brokers: readonly string[]
  readonly registryUrl: string
  readonly pids: readonly number[]
}

const { values, positionals } = parseArgs({
  options: { nodes: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const [command, folder] = positionals
const dir = folder ?? join(cacheDir(), 'kafka-run')
const infoFile = join(dir, 'info.json')

if (command === 'start') await start()
else if (command === 'stop') await stop()
else {
  console.error('usage: main.ts start|stop [folder] [--nodes 3]')
  process.exitCode = 2
}

async function start(): Promise<void> {
  const running = await readInfo()
  if (running?.pids.some(alive)) throw new Error(`already running, see ${infoFile}`)
  const { brokers, registryUrl, pids } = await startLocalKafka({
    dir,
    nodes: Number(values.nodes),
    lifetime: 'detached',
  })
  await writeFile(infoFile, JSON.stringify({ brokers, registryUrl, pids } satisfies Info))
  console.log(`brokers   ${brokers.join(',')}\nregistry  ${registryUrl}\nfolder    ${dir}`)
}

async function stop(): Promise<void> {
  const info = await readInfo()
  if (!info) return
  for (const pid of info.pids.filter(alive)) process.kill(pid, 'SIGTERM')
  const deadline = Date.now() + 30_000
  while (info.pids.some(alive)) {
    if (Date.now() > deadline) throw new Error(`still running: ${info.pids.filter(alive).join(', ')}`)
    await sleep(100)
  }
  await rm(infoFile)
}

async function readInfo(): Promise<Info | null> {
  try {
    return JSON.parse(await readFile(infoFile, 'utf8')) as Info
  } catch {
    return null
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
