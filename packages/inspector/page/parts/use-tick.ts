/** A number that rises with each period in which the page is seen, and when its second value is called. */
import { useEffect, useState } from 'react'

export function useTick(periodMs: number): readonly [number, () => void] {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTick((before) => before + 1), periodMs)
    return () => clearInterval(timer)
  }, [periodMs])
  return [tick, () => setTick((before) => before + 1)]
}
