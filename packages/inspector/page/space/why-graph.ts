/**
 * The graph of a memory: its causes to the left, its effects to the right, and the nodes that are opened. A column is
 * the distance from the memory; a node has one place, in the column nearest to it.
 */
import type { Cause, Impact, Lineage, UsedAnswer } from '@loomlog/client/api'

export interface GraphNode {
  readonly id: string
  readonly kind: string
  readonly text: string
  readonly method: string | null
  readonly derivation: string | null
  readonly asked: readonly UsedAnswer[]
  readonly holds: boolean
  readonly record: Cause['record']
  /** Below 0: a cause. */
  readonly column: number
  readonly row: number
  /** Causes of a cause, or effects of an effect, that opening the node shows. */
  readonly hidden: number
  readonly isOpen: boolean
}

export interface GraphEdge {
  readonly id: string
  readonly source: string
  readonly target: string
  /** The cause was only in the ask of the effect, and is not cited. */
  readonly isContext: boolean
}

export interface WhyGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** @param opened ids of the nodes whose neighbours are shown; the memory itself is always open */
export function whyGraph(lineage: Lineage, impact: Impact, opened: ReadonlySet<string>): WhyGraph {
  const graph = new GraphBuilder(new Set([lineage.id, ...opened]))
  graph.place({ ...lineage, holds: true, column: 0, hidden: 0 })
  addCauses(graph, lineage)
  addEffects(graph, lineage.id, impact)
  return { nodes: [...graph.nodes.values()], edges: [...graph.edges.values()] }
}

class GraphBuilder {
  readonly nodes = new Map<string, GraphNode>()
  readonly edges = new Map<string, GraphEdge>()
  readonly #rows = new Map<number, number>()
  readonly #opened: ReadonlySet<string>

  constructor(opened: ReadonlySet<string>) {
    this.#opened = opened
  }

  isOpen(id: string): boolean {
    return this.#opened.has(id)
  }

  /** Returns whether the node is new. */
  place(node: Omit<GraphNode, 'row' | 'isOpen'>): boolean {
    const { id, column } = node
    if (this.nodes.has(id)) return false
    const row = this.#rows.get(column) ?? 0
    this.#rows.set(column, row + 1)
    this.nodes.set(id, { ...node, row, isOpen: this.isOpen(id) })
    return true
  }

  connect(source: string, target: string, isContext: boolean): void {
    const id = `${source} ${target}`
    this.edges.set(id, { id, source, target, isContext })
  }
}

function addCauses(graph: GraphBuilder, lineage: Lineage): void {
  let effects: readonly Pick<Cause, 'id' | 'causes'>[] = [lineage]
  for (let column = -1; effects.length > 0; column--) {
    const next: Cause[] = []
    for (const { id, causes } of effects.filter((each) => graph.isOpen(each.id))) {
      for (const cause of causes) {
        if (graph.place({ ...cause, holds: true, column, hidden: cause.causes.length })) next.push(cause)
        graph.connect(cause.id, id, false)
      }
    }
    effects = next
  }
}

function addEffects(graph: GraphBuilder, root: string, impact: Impact): void {
  const effectsOf = Map.groupBy(impact.effects, ({ from }) => from)
  const countOf = (id: string) => effectsOf.get(id)?.length ?? 0
  let causes: readonly string[] = [root]
  for (let column = 1; causes.length > 0; column++) {
    const next: string[] = []
    for (const effect of causes.filter((id) => graph.isOpen(id)).flatMap((id) => effectsOf.get(id) ?? [])) {
      const { id, from, by } = effect
      const node = { ...effect, holds: effect.holds === 'now', asked: [], column, hidden: countOf(id) }
      if (graph.place(node)) next.push(id)
      graph.connect(from, id, by === 'context')
    }
    causes = next
  }
}
