/** `loomlog forget certificate ID` and `loomlog forget verify FILE`. */
import { readFile } from 'node:fs/promises'
import { foundAgain } from '@loomlog/app/forgetting/found-again'
import { LoomlogError } from '@loomlog/errors'
import { type Certificate, checkedCertificate, fingerprint } from '@loomlog/forgetting/certificate'
import { readForgettings } from '@loomlog/forgetting/forgettings'
import { maxForgottenIds } from '@loomlog/forgetting/selection'
import { existingKey } from '@loomlog/forgetting/signing-key'
import { dirOption } from '@loomlog/host/dir-option'
import type { Host } from '@loomlog/host/open'
import { shellWord } from '@loomlog/host/shell-word'
import { spaceKey } from '@loomlog/schemas/ids'
import { cell, count, type Output, print, printJson, printNotice } from '../print.ts'
import { type ForgetPlace, untilCertified } from './forget.ts'

/** Prints the certificate as JSON, to be kept in a file. On a log, it completes a forgetting that was killed. */
export async function showCertificate(id: string, place: ForgetPlace): Promise<void> {
  const found = await place.space.forgetting(id)
  const { status, certificate } = place.host === null || found.certificate ? found : await untilCertified(id, place)
  if (certificate !== null) return printJson(certificate)
  printNotice(`forgetting ${id} is ${status}, and has no certificate yet`)
  process.exitCode = 1
}

/**
 * Exits with 1 where a forgotten utterance is in the log again, or where the certificate was signed by another key than
 * this folder's or the one in the log: then anyone may have signed it. A restored or copied log has no key in its
 * folder, and the record of the forgetting names the key.
 */
export async function verifyCertificate(file: string, { json }: Output, host: Host): Promise<void> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new LoomlogError('input-invalid', `${file} can't be read: ${cause.message}`, { cause })
  })
  const certificate = checkedCertificate(text)
  const { id, tenant, space, publicKey, destroyed, destroyedAt } = certificate
  const isOfFolder = existingKey(host.config.dir)?.publicKey === publicKey
  const isOwnKey = isOfFolder || (await keyInLog(certificate, host)) === publicKey
  const found = await foundAgain(certificate, host)
  if (!isOwnKey || found.length > 0) process.exitCode = 1
  if (json) return printJson({ id, tenant, space, publicKey, isOwnKey, foundAgain: found })
  const records = Object.values(destroyed).reduce((total, each) => total + each, 0)
  print(
    `forgetting ${cell(id)} in ${cell(`${tenant}/${space}`)}: ${count(records)} records destroyed at ${cell(destroyedAt)}`,
  )
  const signer = isOfFolder ? 'the key of this folder' : isOwnKey ? 'the key that the log names' : 'an unknown key'
  print(`signed by ${signer}, ${fingerprint(publicKey)}`)
  if (!isOwnKey) print('neither this folder nor the log has that key, so anyone may have signed it')
  if (found.length === 0) return print('none of the forgotten utterances is in the log')
  print(`${count(found.length)} forgotten utterances are in the log again:`)
  for (const { partition, offset, by } of found) print(`  utterances/${partition}@${offset}, known by its ${by}`)
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return
  const place = [`--tenant ${shellWord(tenant)}`, `--space ${shellWord(space)}`, dirOption(host.config).trim()]
  print('to forget them here too, a preview until --yes:')
  for (let first = 0; first < ids.length; first += maxForgottenIds) {
    const some = ids.slice(first, first + maxForgottenIds).map(shellWord)
    print(['  loomlog forget --utterance', ...some, ...place].filter((part) => part !== '').join(' '))
  }
}

/** The key that signed the forgetting's certificate by the log's own record; null: the log has no such record. */
async function keyInLog({ id, tenant, space }: Certificate, host: Host): Promise<string | null> {
  const found = (await readForgettings(spaceKey(tenant, space), host)).find((state) => state.id === id)
  return found?.steps.certified?.publicKey ?? null
}
