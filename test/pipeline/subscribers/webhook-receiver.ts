/**
 * A process that a test kills: an idempotent receiver of webhooks, `webhook-receiver.ts FILE PORT`. It stores the ids
 * of its events in the file, one a line, before it accepts them. It fails every seventh request.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [file = '', port = '0'] = process.argv.slice(2)
const known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
let requests = 0

createServer(({ headers }, response) => {
  requests += 1
  if (requests % 7 === 0) return void response.writeHead(500).end()
  const id = String(headers['webhook-id'])
  if (!known.has(id)) appendFileSync(file, `${id}\n`)
  known.add(id)
  response.writeHead(204).end()
}).listen(Number(port), '127.0.0.1')
