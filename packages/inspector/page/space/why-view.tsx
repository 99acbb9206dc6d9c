/** Why the memory says it, and what rests on it: a graph that opens node by node, and the same in words. */
import { Background, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import type { Cost, Impact, Lineage } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { useMemo, useState } from 'react'
import { Acts } from '../act/acts.tsx'
import { whyLink } from '../page-places.ts'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, plural } from '../parts/words.ts'
import { Asked } from './asked-answer.tsx'
import { useSpace } from './use-space.tsx'
import { type GraphNode, type WhyGraph, whyGraph } from './why-graph.ts'

const columnPx = 290
const rowPx = 132
/** Effects that are read at once. */
const mostEffects = 200

export default function WhyView({ id }: { readonly id: string }) {
  const { space, session } = useSpace()
  const reply = useReply(
    async (signal) => {
      const memory = path`/v1/spaces/${space}/memories/${id}`
      const [lineage, impact] = await Promise.all([
        session.client.get<Lineage>(`${memory}/why`, {}, { signal }),
        session.client.get<Impact>(`${memory}/impact`, { limit: mostEffects }, { signal }),
      ])
      return { lineage, impact }
    },
    [space, session, id],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the sources" />
  return <Why {...reply.value} />
}

function Why({ lineage, impact }: { readonly lineage: Lineage; readonly impact: Impact }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState(lineage.id)
  const graph = useMemo(() => whyGraph(lineage, impact, opened), [lineage, impact, opened])
  const node = graph.nodes.find(({ id }) => id === chosen) ?? graph.nodes[0]
  const toggle = (id: string) => {
    setChosen(id)
    setOpened((before) =>
      before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id]),
    )
  }
  return (
    <div className="why">
      <header>
        <p className="about">{lineage.kind}</p>
        <h2 className="title">{lineage.text}</h2>
        <p className="about">
          Causes are to the left, effects to the right. A dashed line: it was read, and not cited.
        </p>
      </header>
      <Graph graph={graph} chosen={chosen} onChoose={setChosen} onToggle={toggle} />
      {node !== undefined && <Details node={node} isRoot={node.id === lineage.id} />}
      <Rests impact={impact} own={lineage.cost} />
    </div>
  )
}

interface MemoryNodeData extends Record<string, unknown> {
  readonly node: GraphNode
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
  readonly onToggle: (id: string) => void
}

interface OfGraph {
  readonly graph: WhyGraph
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly onToggle: (id: string) => void
}

const nodeTypes = { memory: MemoryNode }

function Graph({ graph, chosen, onChoose, onToggle }: OfGraph) {
  const most = new Map<number, number>()
  for (const { column, row } of graph.nodes) most.set(column, Math.max(most.get(column) ?? 0, row))
  const nodes: Node<MemoryNodeData>[] = graph.nodes.map((node) => ({
    id: node.id,
    type: 'memory',
    position: { x: node.column * columnPx, y: (node.row - (most.get(node.column) ?? 0) / 2) * rowPx },
    data: { node, isChosen: node.id === chosen, onChoose, onToggle },
  }))
  const edges: Edge[] = graph.edges.map(({ isContext, ...edge }) => ({
    ...edge,
    className: isContext ? 'is-context' : '',
  }))
  return (
    <section className="graph" aria-label="Graph of causes and effects">
      <ReactFlow
        key={graph.nodes.length}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // Also lets the pointer reach the nodes.
        onNodeClick={(_, { id }) => onChoose(id)}
        zoomOnScroll={false}
        preventScrolling={false}
        fitView
        fitViewOptions={{ maxZoom: 1, minZoom: 0.85, padding: 0.12 }}
        minZoom={0.2}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={24} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  )
}

function MemoryNode({ data: { node, isChosen, onChoose, onToggle } }: NodeProps<Node<MemoryNodeData>>) {
  const { id, kind, text, method, holds, hidden, isOpen, column } = node
  const others = column < 0 ? plural(hidden, 'cause') : plural(hidden, 'effect')
  return (
    <div className={`node is-${kind}${isChosen ? ' is-chosen' : ''}${holds ? '' : ' is-retired'}`}>
      <Handle type="target" position={Position.Left} />
      <button type="button" className="node-text nopan" aria-pressed={isChosen} onClick={() => onChoose(id)}>
        <span className="about">
          {kind}
          {method !== null && ` · ${method}`}
          {!holds && ' · no longer holds'}
        </span>
        <span className="text">{text}</span>
      </button>
      {hidden > 0 && column !== 0 && (
        <button type="button" className="node-more nopan" aria-expanded={isOpen} onClick={() => onToggle(id)}>
          {isOpen ? `Close ${others}` : `Open ${others}`}
        </button>
      )}
      <Handle type="source" position={Position.Right} />
    </div>
  )
}

function Details({ node, isRoot }: { readonly node: GraphNode; readonly isRoot: boolean }) {
  const { space } = useSpace()
  const { id, kind, text, method, derivation, record, asked } = node
  return (
    <section className="details" aria-live="polite">
      <h3>The chosen {kind}</h3>
      <p>{text}</p>
      <Acts key={id} id={id} kind={kind} />
      <dl>
        <dt>Id</dt>
        <dd>
          {isRoot ? (
            <code>{id}</code>
          ) : (
            <a href={whyLink(space, id)}>
              <code>{id}</code>
            </a>
          )}
        </dd>
        <dt>Decided by</dt>
        <dd>{method ?? 'its speaker'}</dd>
        <dt>Derivation</dt>
        <dd>{derivation === null ? 'none: it is a source' : <code>{derivation}</code>}</dd>
        <dt>Record</dt>
        <dd>
          <code>
            {record.topic}/{record.partition}@{record.offset}
          </code>
        </dd>
      </dl>
      {asked.map((answer) => (
        <Asked key={answer.key} answer={answer} />
      ))}
    </section>
  )
}

function Rests({ impact, own }: { readonly impact: Impact; readonly own: Cost }) {
  const { space } = useSpace()
  const { counts, effects, leftOut, cost } = impact
  return (
    <section className="rests">
      <h3>What rests on this</h3>
      {counts.length === 0 ? (
        <p className="hint">Nothing is derived from it.</p>
      ) : (
        <p className="about">
          {counts.map(({ kind, evidence, context }) => `${kind}: ${evidence} cite it, ${context} read it`).join(' · ')}
        </p>
      )}
      <ul>
        {effects.map(({ id, kind, text, holds }) => (
          <li key={id} className={holds === 'now' ? undefined : 'is-retired'}>
            <span className="about">{kind}</span> <a href={whyLink(space, id)}>{text}</a>
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p className="hint">{plural(leftOut, 'further memory', 'further memories')}</p>}
      <p className="about">
        Its own answers: {countText(own.inputTokens + own.outputTokens)} tokens. Those of its effects:{' '}
        {countText(cost.inputTokens + cost.outputTokens)} tokens.
      </p>
    </section>
  )
}
