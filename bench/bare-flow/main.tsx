import {
  applyEdgeChanges,
  applyNodeChanges,
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { memo, useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@xyflow/react/dist/style.css';

/** The floor of the canvas figures: the same graph with memoised cards and nothing else. `?n=STEPS` */
const count = Number(new URLSearchParams(location.search).get('n') ?? 100);
const columns = 10;
const startNodes: Node[] = Array.from({ length: count }, (_, at) => ({
  id: `s${at}`,
  type: 'card',
  position: { x: (at % columns) * 320, y: Math.floor(at / columns) * 160 },
  data: { label: `Step ${at}` },
}));
const startEdges: Edge[] = startNodes.slice(1).map((node, at) => ({ id: `e${at}`, source: `s${at}`, target: node.id }));

const Card = memo(({ data }: NodeProps) => (
  <div className="card">
    <Handle type="target" position={Position.Left} />
    <b>{String(data['label'])}</b>
    <div>bench-skill</div>
    <div>action text</div>
    <Handle type="source" position={Position.Right} />
  </div>
));
const nodeTypes = { card: Card };

function App() {
  const [nodes, setNodes] = useState(startNodes);
  const [edges, setEdges] = useState(startEdges);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      onNodesChange={useCallback((changes) => setNodes((now) => applyNodeChanges(changes, now)), [])}
      onEdgesChange={useCallback((changes) => setEdges((now) => applyEdgeChanges(changes, now)), [])}
      onlyRenderVisibleElements={count >= 300}
      minZoom={0.05}
      defaultViewport={{ x: 20, y: 20, zoom: 1 }}
    >
      <Background />
      <Controls />
    </ReactFlow>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
