/**
 * Drives a generator of effects to its end: the environment carries out every effect, and the generator gets the result. The runtime
 * and the test harness drive the same steps with different environments.
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

/** Synchronous if the step asks nothing. */
export function drive<T>(effects: Effects<T>, environment: StepEnvironment): MaybePromise<T> {
  return driveOn(effects, environment, effects.next())
}

function driveOn<T>(
  effects: Effects<T>,
  environment: StepEnvironment,
  first: IteratorResult<Effect, T>,
): MaybePromise<T> {
  let next = first
  while (!next.done) {
    const effect = next.value
    switch (effect.op) {
      case 'ask':
        return answered(effects, environment, effect.asks)
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
  return next.value
}

async function answered<T>(effects: Effects<T>, environment: StepEnvironment, asks: readonly Ask[]): Promise<T> {
  return driveOn(effects, environment, effects.next(await environment.answer(asks)))
}

/** The environment of rules: they may ask, but have no keyed state, so they answer from their input alone. */
export function statelessEnvironment(answer: StepEnvironment['answer']): StepEnvironment {
  const refuse = (): never => {
    throw new Error('a task answered by rules has no keyed state and no model')
  }
  return { answer, isAskedOfModel: refuse, get: refuse, put: refuse, range: refuse }
}
