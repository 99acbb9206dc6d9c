/**
 * The parser of JSON bodies. It refuses bytes that are not UTF-8, which would be stored as other text, and nesting so
 * deep that code which walks the value overflows the stack.
 */
import { isUtf8 } from 'node:buffer'
import { LoomlogError } from '@loomlog/errors'
import type { FastifyInstance } from 'fastify'
import { maxBodyDepth } from './limits.ts'

const quote = 0x22
const backslash = 0x5c
const bracket = { open: 0x5b, close: 0x5d }
const brace = { open: 0x7b, close: 0x7d }

/** JSON only: a page in a browser may send plain text to any port without a preflight. */
export function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const problem = problemIn(body)
    if (problem === null) parse(request, body.toString('utf8'), done)
    else done(new LoomlogError('input-invalid', problem))
  })
}

/** The fault of bytes that are no safe JSON; null: none. */
export function problemIn(body: Buffer): string | null {
  if (!isUtf8(body)) return 'the body is not UTF-8'
  return depthOf(body) > maxBodyDepth ? `the body nests deeper than ${maxBodyDepth} arrays and objects` : null
}

/** The nesting depth of arrays and objects, by the brackets outside of strings. */
function depthOf(body: Buffer): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (byte === quote) at = endOfString(body, at)
    else if (byte === bracket.open || byte === brace.open) deepest = Math.max(deepest, ++depth)
    else if (byte === bracket.close || byte === brace.close) depth -= 1
  }
  return deepest
}

function endOfString(body: Buffer, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}
