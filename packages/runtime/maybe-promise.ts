/** A plain value where no wait is needed: most steps ask nothing, and a promise for each would cost more than the step. */
export type MaybePromise<T> = T | Promise<T>
