/**
 * Drives a generator of effects to its end: the environment carries out every effect, and the generator gets the
 * result. The runtime and the test harness drive the same steps with different environments.
 */
import type { Json } from '@loomlog/schemas/ids'
import type { MaybePromise } from './maybe-promise.ts'
import type { Answer, Ask, Effect, Effects } from './step.ts'

export interface StepEnvironment {
  /** Answers in the order of the asks. */
  answer(asks: readonly Ask[]): Promise<readonly Answer<Json>[]>
  isAskedOfModel(task: Ask['task']): boolean
  get(record: string, key: string): Json | null
  put(record: string, key: string, value: Json | null): void
  range(record: string, prefix: string, limit: number): readonly (readonly [key: string, value: Json])[]
}

/** Runs a part of a step, when it may start. */
type RunPart = <T>(part: () => T) => MaybePromise<T>

/**
 * Synchronous if the step asks nothing, and every part starts at once.
 * @param run runs each part between two asks; default: at once
 */
export function drive<T>(
  effects: Effects<T>,
  environment: StepEnvironment,
  run: RunPart = (part) => part(),
): MaybePromise<T> {
  const reached = run(() => untilAsk(effects, environment))
  if (reached instanceof Promise || !reached.done) return driveOn(effects, environment, { run, reached })
  return reached.value
}

/** The end of a part: the next ask, or the step's result. */
type PartEnd<T> = IteratorResult<Extract<Effect, { readonly op: 'ask' }>, T>

async function driveOn<T>(
  effects: Effects<T>,
  environment: StepEnvironment,
  { run, reached: first }: { readonly run: RunPart; readonly reached: MaybePromise<PartEnd<T>> },
): Promise<T> {
  let reached = await first
  while (!reached.done) {
    const answers = await environment.answer(reached.value.asks)
    reached = await run(() => untilAsk(effects, environment, answers))
  }
  return reached.value
}

/** @param answers those to the last ask */
function untilAsk<T>(effects: Effects<T>, environment: StepEnvironment, answers?: readonly Answer<Json>[]): PartEnd<T> {
  let next = effects.next(answers)
  while (!next.done) {
    const effect = next.value
    switch (effect.op) {
      case 'ask':
        return { done: false, value: effect }
      case 'answerer':
        next = effects.next(environment.isAskedOfModel(effect.task))
        break
      case 'get':
        next = effects.next(environment.get(effect.record, effect.key))
        break
      case 'put':
        environment.put(effect.record, effect.key, effect.value)
        next = effects.next()
        break
      case 'range':
        next = effects.next(environment.range(effect.record, effect.prefix, effect.limit))
        break
      default:
        // Without `yield*` the step yields the effect's generator, and would loop here for ever.
        throw new Error('a step yielded something that is no effect: effects go through yield*')
    }
  }
  return next
}

/** The environment of rules: they may ask, but have no keyed state, so they answer from their input alone. */
export function statelessEnvironment(answer: StepEnvironment['answer']): StepEnvironment {
  const refuse = (): never => {
    throw new Error('a task answered by rules has no keyed state and no model')
  }
  return { answer, isAskedOfModel: refuse, get: refuse, put: refuse, range: refuse }
}
