/** A command for people that makes a first key: one that reads and writes the tenant of callers who name none. */
export const firstKeyCommand = 'loomlog keys create --tenant default --scope append recall'
