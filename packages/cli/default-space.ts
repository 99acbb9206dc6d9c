/** The space of a command without --space. */
export const defaultSpace = 'default'
