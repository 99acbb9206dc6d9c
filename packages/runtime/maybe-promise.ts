/** What is there at once where nothing has to be waited for: most steps by far ask nothing, and a promise for each would cost more than they do. */
export type MaybePromise<T> = T | Promise<T>
