/**
 * A real Kafka (KRaft, one node that is broker and controller) and a schema registry, without Docker, for tests and for trying
 * things out. It listens on 127.0.0.1 only, on free ports. It keeps one copy of everything, so what it acknowledged survives
 * the death of its process, but not the loss of the machine.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { fetchJars, type Jars } from './jars.ts'
import { end, finished, type Lifetime, startJava, untilReady } from './processes.ts'
import { type Secured, securedListener } from './secured.ts'
import { serverProperties } from './server-properties.ts'

/** Any 22 characters of base64url. */
const clusterId = 'bG9vbWxvZy1sb2NhbC0wMQ'

/** For a test, starting soon is worth more than running fast. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto']

export interface LocalKafka {
  readonly brokers: readonly string[]
  readonly registryUrl: string
  /** The second listener, where one was asked for. */
  readonly secured: Secured | null
  /** Where data and output of the processes are. */
  readonly dir: string
  /** The broker's and the registry's. */
  readonly pids: readonly number[]
  /** Kills the broker as a crash would. The registry stays. */
  kill9(): Promise<void>
  /** Starts the broker again after `kill9`, on the same port with the same data. */
  restart(): Promise<void>
  /** Ends both; removes `dir` unless the caller named it. Idempotent. */
  stop(): Promise<void>
}

export interface LocalKafkaOptions {
  /** Kept after `stop`, and taken up again by the next start. Default: a new folder, removed by `stop`. */
  readonly dir?: string
  /** Default `with-caller`. */
  readonly lifetime?: Lifetime
  /** `plain`, the default: one listener that asks nobody who he is. `secured`: another beside it, with TLS and SASL. */
  readonly listeners?: 'plain' | 'secured'
}

export async function startLocalKafka(options: LocalKafkaOptions = {}): Promise<LocalKafka> {
  const lifetime = options.lifetime ?? 'with-caller'
  const speed = lifetime === 'with-caller' ? quickStart : []
  const jars = await fetchJars()
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-kafka-')))
  await mkdir(dir, { recursive: true })
  const secured = options.listeners === 'secured' ? await securedListener(dir) : null
  const [brokerPort, controllerPort, registryPort] = await freePorts()
  const properties = join(dir, 'server.properties')
  const ports = { brokerPort, controllerPort, ...(secured && { secured }) }
  await writeFile(properties, serverProperties({ ...ports, dataDir: join(dir, 'data') }))
  const startBroker = () =>
    startJava(['-Xmx512m', ...speed, '-Dlog4j2.level=WARN', '-cp', jars.kafka, 'kafka.Kafka', properties], {
      name: 'broker',
      outDir: dir,
      lifetime,
    })
  const registry = startJava(
    ['-Xmx256m', ...quickStart, `-Dquarkus.http.port=${registryPort}`, '-jar', jars.registry],
    {
      name: 'registry',
      outDir: dir,
      cwd: jars.registryDir,
      // A file, so that schema ids outlive the process as the records that carry them do.
      env: { QUARKUS_HTTP_HOST: '127.0.0.1', REGISTRY_DATASOURCE_URL: `jdbc:h2:file:${join(dir, 'registry')}` },
      lifetime,
    },
  )
  await format(jars, dir, [properties, ...(secured?.formatArgs ?? [])]).catch(async (error: unknown) => {
    await end(registry, 'SIGKILL')
    throw error
  })
  let broker = startBroker()
  const registryUrl = `http://127.0.0.1:${registryPort}/apis/ccompat/v7`
  const brokerReady = () => untilReady(broker, dir, 'broker', () => accepts(brokerPort))
  const stop = async () => {
    const signal = options.dir ? 'SIGTERM' : 'SIGKILL'
    await Promise.all([end(broker, signal), end(registry, signal)])
    if (!options.dir) await rm(dir, { recursive: true, force: true })
  }
  try {
    await Promise.all([brokerReady(), untilReady(registry, dir, 'registry', () => answers(`${registryUrl}/subjects`))])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    brokers: [`127.0.0.1:${brokerPort}`],
    registryUrl,
    secured,
    dir,
    get pids() {
      return [broker.pid ?? 0, registry.pid ?? 0]
    },
    stop,
    kill9: () => end(broker, 'SIGKILL'),
    restart: async () => {
      broker = startBroker()
      await brokerReady()
    },
  }
}

async function format(jars: Jars, dir: string, configuration: readonly string[]): Promise<void> {
  const args = ['-cp', jars.kafka, 'kafka.tools.StorageTool', 'format', '-g', '-t', clusterId, '-c', ...configuration]
  const tool = startJava([...quickStart, '-Dlog4j2.level=WARN', ...args], {
    name: 'format',
    outDir: dir,
    lifetime: 'with-caller',
  })
  await finished(tool, dir, 'format')
}

/** The broker opens its port only when it is ready to serve. */
function accepts(port: number): Promise<'yes' | 'no'> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve('yes'))
    socket.once('error', () => resolve('no'))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })
}

async function answers(url: string): Promise<'yes' | 'no'> {
  try {
    return (await fetch(url)).ok ? 'yes' : 'no'
  } catch {
    return 'no'
  }
}
