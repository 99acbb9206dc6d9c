/** One node of a local Kafka: its folder is formatted once, and its process can be killed and started again. */
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { endProcess, type Lifetime, startJava, waitForExit, waitUntilReady } from './processes.ts'
import type { SecuredListener } from './secured-listener.ts'
import { type NodePorts, serverProperties } from './server-properties.ts'

/** Any 22 characters of base64url. */
const clusterId = 'bG9vbWxvZy1sb2NhbC0wMQ'

/** Options for a quick start, which tests need more than throughput. */
export const quickStartOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto']

export interface NodeOptions {
  readonly cluster: readonly NodePorts[]
  /** Counted from 1. */
  readonly node: number
  /** A class path. */
  readonly jars: string
  readonly dir: string
  readonly lifetime: Lifetime
  readonly secured: SecuredListener | null
}

export interface KafkaNode {
  readonly pid: number
  /** Starts the process; `ready` waits until it serves. */
  start(): void
  ready(): Promise<void>
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** A node that is not started yet. */
export async function prepareNode({ cluster, node, jars, dir, lifetime, secured }: NodeOptions): Promise<KafkaNode> {
  const properties = join(dir, `server-${node}.properties`)
  const dataDir = join(dir, `data-${node}`)
  await mkdir(dataDir, { recursive: true })
  await writeFile(properties, serverProperties({ cluster, node, dataDir, secured }))
  const configuration = ['-c', properties, ...(secured?.formatArgs ?? [])]
  const format = ['-cp', jars, 'kafka.tools.StorageTool', 'format', '-g', '-t', clusterId, ...configuration]
  const formatting = { name: `format-${node}`, outDir: dir, lifetime: 'with-caller' } as const
  await waitForExit(
    startJava([...quickStartOptions, '-Dlog4j2.level=WARN', ...format], formatting),
    dir,
    formatting.name,
  )

  const name = `broker-${node}`
  const speed = lifetime === 'with-caller' ? quickStartOptions : []
  const args = ['-Xmx512m', ...speed, '-Dlog4j2.level=WARN', '-cp', jars, 'kafka.Kafka', properties]
  const { broker: port } = cluster[node - 1] as NodePorts
  let broker: ReturnType<typeof startJava> | null = null
  return {
    get pid() {
      return broker?.pid ?? 0
    },
    start() {
      broker = startJava(args, { name, outDir: dir, lifetime })
    },
    async ready() {
      if (broker) await waitUntilReady(broker, dir, name, () => accepts(port))
    },
    async end(signal) {
      if (broker) await endProcess(broker, signal)
    },
  }
}

/** The broker opens its port only when it is ready to serve. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })
}
