/** The command `doctor`. */
import { configOf } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import { json, type ServerOptions } from './options.ts'
import { serverUrl } from './server-options.ts'

export function addDoctorCommand({ command, withServerOptions, server }: CommandFrame): void {
  const about = 'check the installation, the log and the programs around it; changes nothing'
  withServerOptions(command('doctor', about)).action(async (options: ServerOptions) => {
    const { doctor } = await import('./commands/doctor.ts')
    const client = server(options)
    const subject = client === null ? { configure: () => configOf(options) } : { client, url: serverUrl(options) ?? '' }
    await doctor(json(options), subject)
  })
}
