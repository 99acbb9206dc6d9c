/**
 * The throttle that a stage or a view works under: how many records it holds, and when a piece of work may start.
 * Live work runs `unthrottled`; background work gets its throttle from background-throttle.ts.
 */
import type { MaybePromise } from './maybe-promise.ts'

export interface Throttle {
  /** Most records of a partition that are read and not committed. One space may hold half of them. */
  readonly maxInFlight: number
  /** False for background derivations: their calls to a model wait for those of live work. */
  readonly isLive: boolean
  /** True for background work while live work runs in this process: its commits and merges are then few and large. */
  readonly isBesideLiveWork: boolean
  /** How long reading waits for a full space before it skips the record. */
  readonly roomWaitMs: number
  /** Runs a piece of work once a slot is free. @throws the signal's reason if it aborts first */
  run<T>(work: () => MaybePromise<T>, signal: AbortSignal): MaybePromise<T>
}

export const liveMaxInFlight = 1_024
export const defaultRoomWaitMs = 200

export const unthrottled: Throttle = {
  maxInFlight: liveMaxInFlight,
  isLive: true,
  isBesideLiveWork: false,
  roomWaitMs: defaultRoomWaitMs,
  run: (work) => work(),
}
