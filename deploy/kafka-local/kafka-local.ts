/**
 * A real Kafka (KRaft, each node broker and controller at once) and a schema registry, without Docker, for tests and
 * trials. It listens on 127.0.0.1 only, on free ports. With one node an acknowledged record survives the death of the
 * process; with three nodes, which keep a copy each, it survives the loss of one.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { fetchJars } from './jars.ts'
import { type KafkaNode, prepareNode } from './node.ts'
import type { Lifetime } from './processes.ts'
import { registryAt, startRegistry } from './registry.ts'
import { waitUntilInSync } from './replicas.ts'
import { type SecuredListener, securedListener } from './secured-listener.ts'

export interface LocalKafka {
  /** The address of every node, in order. */
  readonly brokers: readonly string[]
  readonly registryUrl: string
  /** The second listener; null: it was not requested. */
  readonly secured: SecuredListener | null
  /** The folder of the processes' data and output. */
  readonly dir: string
  /** The processes of the brokers, then that of the registry if this cluster started it. */
  readonly pids: readonly number[]
  /** Kills a node, counted from 1, as a crash would. The others and the registry stay. */
  kill9(node?: number): Promise<void>
  /**
   * Starts a node again after `kill9`, on the same port with the same data; returns when every copy is up to date
   * again.
   */
  restart(node?: number): Promise<void>
  /** Ends all; removes `dir` unless the caller named it. Idempotent. */
  stop(): Promise<void>
}

export interface LocalKafkaOptions {
  /** Kept after `stop`, and taken up again by the next start. Default: a new folder, removed by `stop`. */
  readonly dir?: string
  /** Default 1. A folder keeps the number that it was made with. */
  readonly nodes?: number
  /** Default `with-caller`. */
  readonly lifetime?: Lifetime
  /**
   * `plain`, the default: one listener without authentication. `secured`: another beside it, on the first node, with
   * TLS and SASL.
   */
  readonly listeners?: 'plain' | 'secured'
  /** The URL of a running registry; default: the cluster starts its own. */
  readonly registryUrl?: string
}

export async function startLocalKafka(options: LocalKafkaOptions = {}): Promise<LocalKafka> {
  const lifetime = options.lifetime ?? 'with-caller'
  const jars = await fetchJars()
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-kafka-')))
  await mkdir(dir, { recursive: true })
  const secured = options.listeners === 'secured' ? await securedListener(dir) : null
  const numbers = Array.from({ length: options.nodes ?? 1 }, (_, at) => at + 1)
  const ports = await freePorts(2 * numbers.length)
  const cluster = numbers.map((_, at) => ({ broker: ports[2 * at] ?? 0, controller: ports[2 * at + 1] ?? 0 }))
  const brokers = cluster.map(({ broker }) => `127.0.0.1:${broker}`)
  const { registryUrl } = options
  const registry = registryUrl === undefined ? await startRegistry(jars, dir, lifetime) : registryAt(registryUrl)
  const nodes: KafkaNode[] = []
  const stop = async () => {
    const signal = options.dir ? 'SIGTERM' : 'SIGKILL'
    await Promise.all([...nodes.map((node) => node.end(signal)), registry.end(signal)])
    if (!options.dir) await rm(dir, { recursive: true, force: true })
  }
  try {
    const common = { cluster, jars: jars.kafka, dir, lifetime }
    const preparing = numbers.map((node) => prepareNode({ ...common, node, secured: node === 1 ? secured : null }))
    nodes.push(...(await Promise.all(preparing)))
    for (const node of nodes) node.start()
    await Promise.all([...nodes.map((node) => node.ready()), registry.ready()])
  } catch (error) {
    await stop()
    throw error
  }
  const nodeAt = (node: number) => {
    const found = nodes[node - 1]
    if (!found) throw new RangeError(`there is no node ${node} among 1 to ${nodes.length}`)
    return found
  }
  return {
    brokers,
    registryUrl: registry.url,
    secured,
    dir,
    get pids() {
      return [...nodes.map(({ pid }) => pid), ...registry.pids]
    },
    stop,
    kill9: (node = 1) => nodeAt(node).end('SIGKILL'),
    restart: async (node = 1) => {
      nodeAt(node).start()
      await nodeAt(node).ready()
      if (nodes.length > 1) await waitUntilInSync(brokers)
    },
  }
}
