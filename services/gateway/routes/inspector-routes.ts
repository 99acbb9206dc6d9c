/**
 * The inspector: a page and its assets, the same for everyone, so they need no key. The data that the page shows comes
 * from the other routes, with the key that its user gives. The page runs no code and no style but these files, and
 * reaches no other host. An asset's name has the hash of its content, so a browser keeps it for good.
 */
import type { StaticFile, StaticFiles } from '@loomlog/inspector/static-files'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { problemWithStatus } from '../problem.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')
const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}
const hidden = { schema: { hide: true }, config: { scope: 'open' } } as const

export function serveInspector(app: FastifyInstance, files: StaticFiles): void {
  app.get('/', hidden, async (_, reply) => send(reply.headers(pageHeaders), await files.page(), 'no-cache'))
  app.get<{ Params: { name: string } }>('/assets/:name', hidden, async ({ params }, reply) => {
    const file = await files.asset(params.name)
    if (file !== null) return send(reply, file, 'public, max-age=31536000, immutable')
    const problem = problemWithStatus(404, `there is no asset ${params.name}: load the page again`)
    return reply.code(404).type('application/problem+json').send(problem)
  })
}

function send(reply: FastifyReply, { type, content }: StaticFile, caching: string): FastifyReply {
  return reply.headers({ 'content-type': type, 'cache-control': caching }).send(content)
}
