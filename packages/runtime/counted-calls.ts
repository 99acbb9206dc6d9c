/** Counts the requests that are sent to an endpoint for one answer, those that fail too. */
export function countedCalls() {
  const counted = {
    calls: 0,
    onCall: () => {
      counted.calls += 1
    },
  }
  return counted
}
