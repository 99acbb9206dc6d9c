/**
 * The account of tokens and money: every recorded answer, by tenant, space, stage and prompt. It is a sum over the
 * topic `completions`, so it is the same after a restart and for every process. An answer that was paid for twice
 * counts once.
 */
import type { Host } from '@loomlog/host/open'
import { moneyFor } from '@loomlog/host/prices'
import type { Usage as AccountUsage, DayUsage, ModelUsage } from '@loomlog/runtime/completion-index'

/** Accounts in one reply: those with the most tokens. */
const maxAccounts = 500
const dayMs = 86_400_000
const daysShown = 30
/** Sums of days in one reply: the newest. */
const maxDays = 3_000

interface Sum {
  readonly asks: number
  /** Requests that were sent to an endpoint, those that failed and repairs included. */
  readonly calls: number
  /** Times that a model was asked again because its answer was invalid, or because a step refused parts of it. */
  readonly repairs: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** By LOOMLOG_PRICES; null: a model has no price. */
  readonly money: number | null
}

export interface Usage {
  readonly total: Sum
  /** Since midnight, UTC. */
  readonly today: Sum
  readonly accounts: readonly (AccountUsage & Pick<Sum, 'money'>)[]
  /** Of the last 30 days, by stage, prompt and model, the newest first. */
  readonly days: readonly DaySum[]
  /** False: further accounts, or the sums of further days, are left out; `total` has them. */
  readonly isComplete: boolean
}

interface DaySum extends Omit<DayUsage, 'day'>, Pick<Sum, 'money'> {
  /** As 2026-03-01, UTC. */
  readonly day: string
}

/** @param tenant null: all tenants */
export async function readUsage(host: Host, tenant: string | null): Promise<Usage> {
  const { completions, config } = host
  await followCompletions(host)
  const found = await completions.usage(tenant, maxAccounts + 1)
  const midnight = new Date().setUTCHours(0, 0, 0, 0)
  const days = await completions.usageByDay(tenant, midnight - (daysShown - 1) * dayMs, maxDays + 1)
  return {
    total: sumOf(host, await completions.usageByModel(tenant, 0)),
    today: sumOf(host, await completions.usageByModel(tenant, midnight)),
    accounts: found
      .slice(0, maxAccounts)
      .map((each) => ({ ...each, money: moneyFor(config.prices, each.model, each) })),
    days: days.slice(0, maxDays).map((each) => ({
      ...each,
      day: new Date(each.day * dayMs).toISOString().slice(0, 10),
      money: moneyFor(config.prices, each.model, each),
    })),
    isComplete: found.length <= maxAccounts && days.length <= maxDays,
  }
}

/** The usage of all tenants, without their accounts. */
export async function readTotalUsage(host: Host): Promise<Sum> {
  await followCompletions(host)
  return sumOf(host, await host.completions.usageByModel(null, 0))
}

async function followCompletions({ completions, partitions }: Host): Promise<void> {
  for (let partition = 0; partition < partitions; partition++) await completions.follow(partition)
}

/** Models without tokens, such as the embedders in this process, cost nothing. */
function sumOf({ config }: Host, models: readonly ModelUsage[]): Sum {
  const sum = (of: (one: ModelUsage) => number) => models.reduce((total, one) => total + of(one), 0)
  const paid = models.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
  const moneys = paid.map((one) => moneyFor(config.prices, one.model, one))
  return {
    asks: sum(({ asks }) => asks),
    calls: sum(({ calls }) => calls),
    repairs: sum(({ repairs }) => repairs),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    money: moneys.includes(null) ? null : moneys.reduce<number>((total, money) => total + (money ?? 0), 0),
  }
}
