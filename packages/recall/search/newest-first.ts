/** The order of utterances from the newest to the oldest; at the same time, from the last of the log. */
export const newestFirst = [
  { by: 'at', direction: 'descending' },
  { by: 'offset', direction: 'descending' },
] as const
