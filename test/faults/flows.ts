/** The scenarios with a flow: its writers, its instances, and the disturbance. */
import { fixture } from '../pipeline/fixture.ts'
import { brokerKills, instanceChurn, ownerStops, type Stop } from './disturbances.ts'
import { type FlowControl, type FlowOptions, runDisturbedFlow } from './flow.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

/**
 * Points at which an owner has most unfinished work: a processor in its transaction, the materializer before its merge.
 */
const stops: readonly Stop[] = [
  { point: 'run.before-commit', pass: 12 },
  { point: 'commit.before-outputs', pass: 20 },
  { point: 'commit.before-end', pass: 20 },
  { point: 'view.before-merge', pass: 3 },
]

export const flows: readonly Scenario[] = [
  {
    name: 'stops',
    logs: ['sqlite', 'kafka'],
    nodes: 1,
    description: 'an owner is stopped past its session, in a commit and in a merge, and resumed: fenced',
    run: (setting) => flow(setting, { instances: 2 }, ownerStops(stopsFor(setting), setting.sessionMs)),
  },
  {
    name: 'churn',
    logs: ['sqlite', 'kafka'],
    nodes: 1,
    description: 'instances and writers come and go every few seconds',
    run: (setting) => flow(setting, { instances: 3 }, instanceChurn(setting)),
  },
  {
    name: 'broker',
    logs: ['kafka'],
    nodes: 1,
    description: 'the only broker is killed and started again',
    run: (setting) => flow(setting, { instances: 2 }, brokerKills(brokerOf(setting), setting)),
  },
  {
    name: 'nodes',
    logs: ['kafka'],
    nodes: 3,
    description: 'three brokers are killed and started again, one after another',
    run: (setting) => flow(setting, { instances: 2 }, brokerKills(brokerOf(setting), setting)),
  },
  {
    name: 'storm',
    logs: ['kafka'],
    nodes: 3,
    description: 'brokers of three are killed while instances and writers come and go',
    run: (setting) => {
      const [nodes, instances] = [brokerKills(brokerOf(setting), setting), instanceChurn(setting)]
      return flow(setting, { instances: 3 }, async (disturbed) => {
        await Promise.all([nodes(disturbed), instances(disturbed)])
      })
    },
  },
]

async function flow(
  setting: Setting,
  sizes: Pick<FlowOptions, 'instances'>,
  disturb: (flow: FlowControl) => Promise<void>,
): Promise<Verdict> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const { environment } = await fixture({ after: (close) => closing.push(close) }, 1)
    const settings = { ...environment, LOOMLOG_PARTITIONS: '2', LOOMLOG_SESSION_MS: String(setting.sessionMs) }
    const { log, say } = setting
    const result = await runDisturbedFlow(
      { ...sizes, log, environment: settings, writers: 3, everyMs: 400, say },
      disturb,
    )
    return { isKept: result.findings.length === 0, details: result }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The embedded log has no producer's transaction to stop in. */
function stopsFor({ kind }: Setting): readonly Stop[] {
  return kind === 'kafka'
    ? stops
    : stops.filter(({ point }) => point === 'run.before-commit' || point === 'view.before-merge')
}

function brokerOf({ kafka }: Setting) {
  if (kafka) return kafka
  throw new Error('this takes brokers that can be killed')
}
