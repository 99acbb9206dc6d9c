/** `node:sqlite`, without the warning of Node 22 and 24 that it is experimental; other warnings stay. */
const { emitWarning } = process
process.emitWarning = () => {}
const sqlite = process.getBuiltinModule('node:sqlite')
process.emitWarning = emitWarning

export const { backup, DatabaseSync } = sqlite
export type DatabaseSync = InstanceType<typeof sqlite.DatabaseSync>
