/** `loomlog forget certificate ID` and `loomlog forget verify FILE`. */
import { readFile } from 'node:fs/promises'
import { foundAgain } from '@loomlog/app/forgetting/found-again'
import { LoomlogError } from '@loomlog/errors'
import { checkedCertificate, fingerprint } from '@loomlog/forgetting/certificate'
import { existingKey } from '@loomlog/forgetting/signing-key'
import type { Host } from '@loomlog/host/open'
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
 * this folder's: then anyone may have signed it.
 */
export async function verifyCertificate(file: string, { json }: Output, host: Host): Promise<void> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new LoomlogError('input-invalid', `${file} can't be read: ${cause.message}`, { cause })
  })
  const certificate = checkedCertificate(text)
  const { id, tenant, space, publicKey, destroyed, destroyedAt } = certificate
  const isOwnKey = existingKey(host.config.dir)?.publicKey === publicKey
  const found = await foundAgain(certificate, host)
  if (!isOwnKey || found.length > 0) process.exitCode = 1
  if (json) return printJson({ id, tenant, space, publicKey, isOwnKey, foundAgain: found })
  const records = Object.values(destroyed).reduce((total, each) => total + each, 0)
  print(
    `forgetting ${cell(id)} in ${cell(`${tenant}/${space}`)}: ${count(records)} records destroyed at ${cell(destroyedAt)}`,
  )
  if (isOwnKey) print(`signed by the key of this folder, ${fingerprint(publicKey)}`)
  else print(`signed by another key than this folder's: ${fingerprint(publicKey)}`)
  if (found.length === 0) return print('none of the forgotten utterances is in the log')
  print(`${count(found.length)} forgotten utterances are in the log again:`)
  for (const { partition, offset, by } of found) print(`  utterances/${partition}@${offset}, known by its ${by}`)
}
