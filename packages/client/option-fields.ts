/** The fields of the options of calls. Another one is refused: mistyped, it would widen what the call does. */
export const optionFields = {
  add: ['conversation', 'signal'],
  list: ['kind', 'conversation', 'state', 'order', 'limit', 'cursor', 'signal'],
  end: ['conversation', 'signal'],
  events: ['after', 'types', 'follow', 'signal'],
  connect: ['url', 'key', 'tenant', 'fetch', 'timeoutMs'],
} as const
