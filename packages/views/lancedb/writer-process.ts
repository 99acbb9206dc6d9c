/**
 * For damage.test.ts: runs the commands of its input, one a line, in an environment of its own, and prints their
 * outcomes.
 */
import { createInterface } from 'node:readline'
import { writerCommands } from './writer-commands.ts'

const run = await writerCommands(process.argv[2] ?? '')
process.stdout.write('ready\n')
for await (const name of createInterface({ input: process.stdin })) process.stdout.write(`${await run(name)}\n`)
