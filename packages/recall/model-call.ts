/** The signal of a call to a model: it aborts after the timeout, or when the caller leaves. */
export function callSignal(timeoutMs: number, caller?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return caller === undefined ? timeout : AbortSignal.any([timeout, caller])
}
