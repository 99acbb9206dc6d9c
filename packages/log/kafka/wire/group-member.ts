/**
 * The requests of one member to the group's coordinator: join, assign, heartbeat, leave. They follow Kafka's group
 * protocol. The user data of a member are the partitions that it owns, so that a rebalance stops only the partitions
 * that move.
 */
import { assignPartitions, type Claimant } from '../assignment.ts'
import { errorType } from '../failures.ts'
import type { Broker, Cluster } from './kafkajs-cluster.ts'
import { MemberAssignment, MemberMetadata } from './kafkajs-internals.ts'

export type HeartbeatResult = 'fine' | 'rejoin' | 'lost'

export interface GroupOptions {
  readonly cluster: Cluster
  readonly groupId: string
  readonly kafkaTopic: string
  readonly sessionMs: number
}

const protocol = 'loomlog'

export class GroupMember {
  readonly #options: GroupOptions
  #coordinator: Broker | null = null
  #memberId = ''
  /** Kafka's `generationId`, which rises with every rebalance. */
  #groupEpoch = -1

  constructor(options: GroupOptions) {
    this.#options = options
  }

  get id(): string {
    return this.#memberId
  }

  /** Waits until every member has joined; returns this one's partitions. */
  async join(claim: Omit<Claimant, 'id'>): Promise<readonly number[]> {
    const { groupId, kafkaTopic, sessionMs, cluster } = this.#options
    this.#coordinator ??= await cluster.findGroupCoordinator({ groupId })
    const joined = await this.#coordinator.joinGroup({
      groupId,
      sessionTimeout: sessionMs,
      rebalanceTimeout: Math.max(sessionMs, 5_000),
      memberId: this.#memberId,
      groupProtocols: [{ name: protocol, metadata: encodeClaim(kafkaTopic, claim) }],
    })
    this.#memberId = joined.memberId
    this.#groupEpoch = joined.generationId
    const claimants = joined.members.map(({ memberId, memberMetadata }) => decodeClaim(memberId, memberMetadata))
    const { memberAssignment } = await this.#coordinator.syncGroup({
      groupId,
      generationId: this.#groupEpoch,
      memberId: this.#memberId,
      groupAssignment: joined.leaderId === joined.memberId ? await this.#shareOut(claimants) : [],
    })
    return MemberAssignment.decode(memberAssignment)?.assignment[kafkaTopic] ?? []
  }

  async heartbeat(): Promise<HeartbeatResult> {
    const { groupId } = this.#options
    try {
      await this.#coordinator?.heartbeat({
        groupId,
        groupGenerationId: this.#groupEpoch,
        memberId: this.#memberId,
      })
      return 'fine'
    } catch (error) {
      return this.after(error)
    }
  }

  /** The meaning of a coordinator's error. @throws the error if it doesn't concern the membership */
  after(error: unknown): Exclude<HeartbeatResult, 'fine'> {
    switch (errorType(error)) {
      case 'REBALANCE_IN_PROGRESS':
        return 'rejoin'
      case 'UNKNOWN_MEMBER_ID':
      case 'ILLEGAL_GENERATION':
      case 'FENCED_INSTANCE_ID':
        this.#memberId = ''
        return 'lost'
      case 'NOT_COORDINATOR_FOR_GROUP':
      case 'GROUP_COORDINATOR_NOT_AVAILABLE':
      case 'GROUP_LOAD_IN_PROGRESS':
        this.#coordinator = null
        return 'rejoin'
      default:
        this.#coordinator = null
        throw error
    }
  }

  async leave(): Promise<void> {
    if (this.#memberId === '') return
    await this.#coordinator?.leaveGroup({ groupId: this.#options.groupId, memberId: this.#memberId })
    this.#memberId = ''
  }

  async #shareOut(claimants: readonly Claimant[]) {
    const { cluster, kafkaTopic } = this.#options
    await cluster.refreshMetadata()
    const partitions = cluster.findTopicPartitionMetadata(kafkaTopic).length
    return [...assignPartitions(claimants, partitions)].map(([memberId, share]) => ({
      memberId,
      memberAssignment: MemberAssignment.encode({ version: 0, assignment: { [kafkaTopic]: [...share] } }),
    }))
  }
}

/** `leaving` is a text, because members of older versions read it as one. */
interface EncodedClaim {
  readonly owned: readonly number[]
  readonly leaving: 'yes' | 'no'
}

function encodeClaim(topic: string, { owned, isLeaving }: Omit<Claimant, 'id'>): Buffer {
  const claim: EncodedClaim = { owned, leaving: isLeaving ? 'yes' : 'no' }
  const userData = Buffer.from(JSON.stringify(claim))
  return MemberMetadata.encode({ version: 0, topics: [topic], userData })
}

function decodeClaim(id: string, metadata: Buffer): Claimant {
  const text = MemberMetadata.decode(metadata)?.userData.toString('utf8')
  if (!text) return { id, owned: [], isLeaving: false }
  const { owned, leaving } = JSON.parse(text) as EncodedClaim
  return { id, owned, isLeaving: leaving === 'yes' }
}
