/** A reply of the API in an element: read when the inputs change, and kept while a newer one is read. */
import { useEffect, useRef, useState } from 'react'

export type Reply<T> =
  | { readonly state: 'waiting'; readonly value: null }
  | { readonly state: 'here'; readonly value: T }
  | { readonly state: 'failed'; readonly value: null; readonly error: Error }

/** @param read is called again when one of the inputs changes, which the caller names */
export function useReply<T>(read: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Reply<T> {
  const [reply, setReply] = useState<Reply<T>>({ state: 'waiting', value: null })
  const latest = useRef(read)
  latest.current = read
  const key = useInputVersion(inputs)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version of the inputs is the reason to read
  useEffect(() => {
    const ended = new AbortController()
    latest.current(ended.signal).then(
      (value) => !ended.signal.aborted && setReply({ state: 'here', value }),
      (error) => !ended.signal.aborted && setReply({ state: 'failed', value: null, error: error as Error }),
    )
    return () => ended.abort()
  }, [key])
  return reply
}

/** A number that rises when an input changes. */
function useInputVersion(inputs: readonly unknown[]): number {
  const last = useRef({ inputs, version: 0 })
  if (inputs.some((input, at) => !Object.is(input, last.current.inputs[at])))
    last.current = { inputs, version: last.current.version + 1 }
  return last.current.version
}
