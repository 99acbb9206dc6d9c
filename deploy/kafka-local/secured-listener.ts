/**
 * A listener with TLS and SASL for the local broker, as on shared clusters. openssl makes new certificates: an
 * authority, the broker's for 127.0.0.1, a client's, and a second authority that signed none of them, for refusals.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from './free-ports.ts'

const run = promisify(execFile)

export interface SecuredListener {
  readonly port: number
  readonly users: { readonly plain: User; readonly scram: User }
  /** PEM files. */
  readonly ca: string
  readonly otherCa: string
  readonly client: { readonly cert: string; readonly key: string }
  /** The broker's certificate and key, for a trusted server of the test. */
  readonly server: { readonly cert: string; readonly key: string }
  readonly properties: Readonly<Record<string, string>>
  /** For formatting the broker's storage, which is where SCRAM keeps its users. */
  readonly formatArgs: readonly string[]
}

interface User {
  readonly username: string
  readonly password: string
}

const users = {
  plain: { username: 'plain-user', password: 'plain-secret-8471' },
  scram: { username: 'scram-user', password: 'scram-secret-5120' },
}

/** @param dir where the certificates are written */
export async function securedListener(dir: string): Promise<SecuredListener> {
  const [port = 0] = await freePorts(1)
  const ca = await authority(dir, 'ca')
  const otherCa = await authority(dir, 'other-ca')
  const server = await signed(dir, 'server', 'subjectAltName=IP:127.0.0.1,DNS:localhost')
  const client = await signed(dir, 'client', 'extendedKeyUsage=clientAuth')
  const keystore = join(dir, 'keystore.pem')
  await writeFile(keystore, `${await readFile(server.key, 'utf8')}\n${await readFile(server.cert, 'utf8')}`)
  const { plain, scram } = users
  const jaas = 'org.apache.kafka.common.security'
  const properties = {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca,
    'ssl.client.auth': 'requested',
    // ACLs are in force where a test makes some; the plain listener, which is anonymous, may do everything.
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'true',
    'super.users': 'User:ANONYMOUS',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.secured.plain.sasl.jaas.config': `${jaas}.plain.PlainLoginModule required user_${plain.username}="${plain.password}";`,
    'listener.name.secured.scram-sha-256.sasl.jaas.config': `${jaas}.scram.ScramLoginModule required;`,
    'listener.name.secured.scram-sha-512.sasl.jaas.config': `${jaas}.scram.ScramLoginModule required;`,
  }
  const formatArgs = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${scram.username},password=${scram.password}]`,
  ])
  return { port, users, ca, otherCa, client, server, properties, formatArgs }
}

async function authority(dir: string, name: string): Promise<string> {
  const cert = join(dir, `${name}.pem`)
  const key = join(dir, `${name}.key`)
  await openssl('req', '-x509', ...newKey(key), '-out', cert, '-days', '2', '-subj', `/CN=${name}`)
  return cert
}

async function signed(dir: string, name: string, extension: string): Promise<{ cert: string; key: string }> {
  const [cert, key, request, extensions] = ['pem', 'key', 'csr', 'ext'].map((end) => join(dir, `${name}.${end}`)) as [
    string,
    string,
    string,
    string,
  ]
  await writeFile(extensions, extension)
  await openssl('req', ...newKey(key), '-out', request, '-subj', `/CN=${name}`)
  const signing = ['-CA', join(dir, 'ca.pem'), '-CAkey', join(dir, 'ca.key'), '-CAcreateserial']
  await openssl('x509', '-req', '-in', request, ...signing, '-out', cert, '-days', '2', '-extfile', extensions)
  return { cert, key }
}

/** Unencrypted, in PKCS #8, which Java wants. */
function newKey(file: string): readonly string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file]
}

async function openssl(...args: readonly string[]): Promise<void> {
  await run('openssl', args)
}
