/**
 * `run-service.ts NAME` runs one service in a process of its own, configured by the environment; NAME may be the stage
 * of an extension. Exit codes: 0 it was stopped, 1 it failed, 2 the name or LOOMLOG_EXTENSIONS is wrong.
 */
import { isLoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { extensionPaths } from '@loomlog/host/config'
import { loadExtensions } from '@loomlog/host/extensions'
import { runService } from '@loomlog/host/service'
import { servicesOf } from './services.ts'

const wanted = process.argv.slice(2).join(' ')

try {
  const services = servicesOf(await loadExtensions(extensionPaths(process.env)))
  const service = services.find(({ name }) => name === wanted)
  const names = services.map(({ name }) => name).join(', ')
  if (service) await runService(service)
  else if (wanted === '--help') console.log(`usage: run-service.ts NAME, one of ${names}`)
  else throw invalidInput('NAME', wanted, `one of ${names}`)
} catch (error) {
  if (!isLoomlogError(error)) throw error
  console.error(`run-service: ${error.message}`)
  process.exitCode = 2
}
