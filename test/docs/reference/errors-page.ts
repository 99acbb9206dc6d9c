/** The page of errors: every code with its meaning, its HTTP status, and whether a retry may help. */
import { type ErrorCode, LoomlogError } from '@loomlog/errors'

const meanings: { readonly [code in ErrorCode]: string } = {
  'config-invalid': 'A setting is missing or wrong; the message names the variable.',
  'embedder-mismatch': 'The vectors of a view come from another embedder than the configured one.',
  fenced: 'Another process has taken over the partition.',
  'generation-refused': 'The generation is in no state for this command, or has lost too many facts or entries.',
  'group-in-use': 'Another process works for the same group, such as a second copy of a command.',
  'id-conflict': 'The id is known, with other content.',
  'identity-unavailable': 'The issuer of tokens does not answer.',
  'index-unavailable': 'The index of used ids cannot be read at this time.',
  'input-invalid': 'A field of the request is wrong; `errors` has each place.',
  'kind-not-handled': 'The kind of memory does not support this.',
  'key-unavailable': 'The log is encrypted, and its key or the key of the space is missing.',
  'log-corrupt': 'A record of the log is damaged.',
  'log-full': 'The disk of the log is full.',
  'log-read-only': 'The log cannot be written: its files or its disk are read-only.',
  'log-replaced': 'The log in the folder is another one than before.',
  'log-unauthorized': 'The broker or the registry refuses the credentials.',
  'log-unavailable': 'The log cannot be reached or opened, or the memory is closed.',
  'model-refused': 'The endpoint refuses the request, such as for its key or its model.',
  'model-unavailable': 'The model or embedder does not answer, or a spending limit is reached.',
  'not-allowed': 'The key lacks the scope, the space or the tenant, or is bound to other authors.',
  'not-caught-up': 'The generation is behind the live one.',
  'not-found': 'No memory, space, generation or key has this name.',
  'out-of-files': 'The process has opened as many files as the system allows.',
  overloaded: 'Too many requests wait.',
  'rate-limited': 'The key has used up its rate; `Retry-After` has the wait.',
  'recipe-differs': 'A recipe of the same name has other content.',
  'record-too-large': 'A record or a request is over the limit.',
  'schema-refused': 'The registry refuses the schema of a record.',
  'schema-unknown': 'The registry does not know the schema of a record yet.',
  'server-unavailable': 'No server answers at the address, or the reply breaks off.',
  'topic-mismatch': 'A topic has other settings than planned.',
  'topic-unknown': 'A topic is missing: `loomlog init` creates it.',
  unauthenticated: 'The key or token is missing, unknown, revoked or expired.',
  'view-corrupt': 'A view is damaged; it is rebuilt from the log.',
  'view-unavailable': 'A view cannot be read or written at this time.',
  'views-behind': 'The views lack newer records; the request may be repeated.',
}

const head = `# Errors

Every error of the library, the command line and the HTTP API has one of these codes. Over HTTP it is a problem of RFC 9457 with the type
\`urn:loomlog:problem:CODE\`. In the library it is a \`LoomlogError\` with \`code\`, \`status\`, \`retryable\` and, for faulty input, \`errors\`;
\`isLoomlogError(error, code)\` recognises it. *Retry* means that the same request may succeed later.

| code | status | retry | meaning |
|---|---|---|---|
`

export function errorsPage(): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => {
    const { status, retryable } = new LoomlogError(code as ErrorCode, meaning)
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${meaning} |\n`
  })
  return head + rows.join('')
}
