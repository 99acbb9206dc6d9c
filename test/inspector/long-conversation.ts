/** A conversation of many utterances, appended and derived. */
import { eventually } from '../eventually.ts'
import type { ServedMemory } from './served-memory.ts'

const startsAt = Date.UTC(2026, 0, 1)
const apartMs = 30_000
const derivedMs = 240_000

export async function sayLongConversation(
  { memory, url }: ServedMemory,
  { space, utterances }: { readonly space: string; readonly utterances: number },
): Promise<void> {
  const said = Array.from({ length: utterances }, (_, n) => ({
    conversation: 'long',
    speaker: n % 2 === 0 ? 'Ada' : 'Ben',
    text: `Line ${n}: ${'the tide comes in and goes out again. '.repeat(1 + (n % 3))}`,
    at: new Date(startsAt + n * apartMs).toISOString(),
  }))
  await memory.space(space).add(said)
  await eventually(async () => {
    const { stages, views } = (await (await fetch(`${url}/v1/status`)).json()) as Progress
    const behind = [...stages, ...views].filter(({ lag }) => lag > 0)
    if (behind.length > 0) throw new Error(behind.map(({ name, lag }) => `${name} lags by ${lag}`).join(', '))
  }, derivedMs)
}

interface Progress {
  readonly stages: readonly { readonly name: string; readonly lag: number }[]
  readonly views: readonly { readonly name: string; readonly lag: number }[]
}
