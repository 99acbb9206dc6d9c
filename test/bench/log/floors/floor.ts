/** The sizes that a floor takes from loomlog's run before it, and the result of the floor. */

export interface FloorSize {
  readonly partitions: number
  readonly recordsOfATransaction: number
  /** The bytes of the output for one record. */
  readonly outputBytes: number
  /** The bytes of the state for one record, as in loomlog's admission; 0: no state. */
  readonly stateBytes: number
}

export interface FloorRun {
  readonly ms: number
  readonly transactions: number
  /** CPU time of this process a record. */
  readonly cpuMicros: number
}
