// The client from its package: a recall on the server at LOOMLOG_URL.
import { connect, isLoomlogError } from '@loomlog/client'

const team = connect({ url: process.env.LOOMLOG_URL }).space('team')
console.log(typeof (await team.recall('Where does Maya live?', {})).text)
await team.why('unknown').catch((error) => console.log(isLoomlogError(error), error.code))
