/** What a floor is given, and what it tells: the same records, the same sizes and the same transactions as loomlog's run before it. */

export interface FloorSize {
  readonly partitions: number
  readonly recordsOfATransaction: number
  /** What is written for one record. */
  readonly outputBytes: number
  /** What is written beside it, as the state of loomlog's admission is; 0: nothing. */
  readonly stateBytes: number
}

export interface FloorRun {
  readonly ms: number
  readonly transactions: number
  /** Of this process, a record. */
  readonly cpuMicros: number
}
