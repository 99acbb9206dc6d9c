/**
 * Lists and deletes groups. The metadata of a consumer group's offsets is the epoch; the assignment of its members
 * gives the current owner of a partition.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import kafkajs from 'kafkajs'
import type { GroupLag } from '../port.ts'
import { errorType, toLogError } from './failures.ts'
import type { KafkaNames } from './names.ts'
import type { RetriedAdmin } from './retrying-admin.ts'
import type { KafkaTopics } from './topics.ts'

export class KafkaGroups {
  readonly #admin: RetriedAdmin
  readonly #names: KafkaNames
  readonly #topics: KafkaTopics
  readonly #stateDir: string

  constructor(admin: RetriedAdmin, names: KafkaNames, topics: KafkaTopics, stateDir: string) {
    this.#admin = admin
    this.#names = names
    this.#topics = topics
    this.#stateDir = stateDir
  }

  async all(): Promise<readonly GroupLag[]> {
    const ids = await this.#ids()
    const owners = await this.#owners(ids)
    const lags = await Promise.all(ids.map((id) => this.#lags(id, owners)))
    return lags
      .flat()
      .sort((a, b) => compare(a.group, b.group) || compare(a.topic, b.topic) || a.partition - b.partition)
  }

  /**
   * Deletes one group, or all groups on one topic. Kafka refuses to delete a group that has members. With a topic, its
   * changelog and local state are deleted nevertheless. @throws LoomlogError `group-in-use`
   */
  async delete(which: { readonly group: string } | { readonly topic: string }): Promise<void> {
    const matches = (name: string) => {
      const found = this.#names.groupOf(name)
      return found !== null && ('group' in which ? found.group === which.group : found.topic === which.topic)
    }
    const ids = (await this.#ids()).filter(matches)
    try {
      if (ids.length > 0) await this.#admin.deleteGroups(ids)
    } catch (error) {
      const refused = refusal(error)
      const isExpected = refused === null || ('topic' in which && isLoomlogError(refused, 'group-in-use'))
      if (!isExpected) throw refused
    }
    await this.#topics.delete((await this.#topics.changelogs()).filter(matches))
    for (const id of ids) await rm(join(this.#stateDir, id), { recursive: true, force: true })
  }

  async #ids(): Promise<readonly string[]> {
    const { groups } = await this.#admin.listGroups()
    return groups.map(({ groupId }) => groupId).filter((id) => this.#names.groupOf(id) !== null)
  }

  async #owners(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const owners = new Map<string, string>()
    if (ids.length === 0) return owners
    const { groups } = await this.#admin.describeGroups([...ids])
    for (const { groupId, members } of groups) {
      for (const { memberId, memberAssignment } of members) {
        const assignment = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {}
        for (const partition of Object.values(assignment).flat()) owners.set(`${groupId}/${partition}`, memberId)
      }
    }
    return owners
  }

  async #lags(id: string, owners: ReadonlyMap<string, string>): Promise<readonly GroupLag[]> {
    const named = this.#names.groupOf(id)
    if (!named) return []
    const fetched = await this.#admin.fetchOffsets({ groupId: id })
    return fetched
      .flatMap(({ partitions }) => partitions)
      .filter(({ offset }) => Number(offset) >= 0)
      .map(({ partition, offset, metadata }) => ({
        ...named,
        partition,
        position: Number(offset),
        epoch: Number(metadata ?? 0),
        owner: owners.get(`${id}/${partition}`) ?? null,
      }))
  }
}

/** Null: the groups do not exist any more. */
function refusal(error: unknown): unknown {
  const errors = error instanceof Error && 'groups' in error ? groupErrors(error.groups) : [error]
  const types = errors.map(errorType)
  if (types.includes('NON_EMPTY_GROUP'))
    return new LoomlogError('group-in-use', 'a group that has members cannot be deleted', { cause: error })
  const other = types.findIndex((type) => type !== 'GROUP_ID_NOT_FOUND')
  return other < 0
    ? null
    : toLogError(errors[other], 'deleting a group', { operation: 'DELETE', kind: 'group', names: [] })
}

/** One error for each group that kafkajs could not delete. */
function groupErrors(groups: unknown): readonly unknown[] {
  return (groups as readonly { readonly error: unknown }[]).map(({ error }) => error)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
