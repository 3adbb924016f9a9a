import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  ConnectionLineType,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useConnection,
  useReactFlow,
  useStoreApi,
  type Viewport,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import {
  type DragEvent,
  memo,
  type MouseEvent as ReactMouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../stores/settings-store.ts';
import type { Point } from '../layout/layered-layout.ts';
import { cardHeight, cardWidth, gridSize, openedOn } from '../layout/place-steps.ts';
import { routeLinks } from '../layout/route-links.ts';
import { draggedItem, isItemDrag } from '../palette/drag-item.ts';
import { addItem } from '../state/add-item.ts';
import { useEditor, useEditorStore } from '../state/editor-context.ts';
import { useCanvasKeys } from './canvas-keys.ts';
import { type CanvasPort, useCanvasPort } from './canvas-port.ts';
import classes from './chain-canvas.module.css';
import { type LinkEdge as LinkEdgeType, type StepNode, syncEdges, syncNodes } from './flow-nodes.ts';
import { LinkEdge } from './link-edge.tsx';
import { refusalText } from './refusal-text.ts';
import { StepCard } from './step-card.tsx';

// At module level: a new object here would mount every card anew.
const nodeTypes = { step: StepCard };
const edgeTypes = { link: LinkEdge };
const snapGrid: [number, number] = [gridSize, gridSize];
const middleAndRight = [1, 2];
const multiSelectionKeys = ['Shift', 'Meta', 'Control'];
const noAttribution = { hideAttribution: true };
/** The buttons stand at the lower edge; a fitted chain is never under them. */
const fitOptions = { padding: { x: '32px', top: '32px', bottom: '64px' }, maxZoom: 1.1 } as const;
/** From here on cards outside the window are not drawn; below, mounting them anew would cost more than it saves. */
const cullFrom = 300;

/** The chain as cards and wires. `children` are drawn over it (notices, buttons). */
export const ChainCanvas = memo(function ChainCanvas({
  viewport,
  onViewport,
  children,
}: {
  /** Where the person left it; null = show everything. */
  viewport: Viewport | null;
  onViewport: (viewport: Viewport) => void;
  children?: ReactNode;
}) {
  return (
    <ReactFlowProvider>
      <Flow viewport={viewport} onViewport={onViewport} />
      {children}
    </ReactFlowProvider>
  );
});

function Flow({ viewport, onViewport }: { viewport: Viewport | null; onViewport: (viewport: Viewport) => void }) {
  const { t } = useTranslation('editor');
  const store = useEditorStore();
  const { scroll_mode } = useSettings();
  const flow = useReactFlow<StepNode, LinkEdgeType>();
  const surface = useRef<HTMLElement>(null);
  const [nodes, edges, onNodesChange, onEdgesChange] = useFlowElements();
  // An empty canvas is not fitted: its first card shall stay where it was dropped.
  const [start] = useState(() => viewport ?? (nodes.length === 0 ? { x: 0, y: 0, zoom: 1 } : null));
  const [firstFit] = useState(() => {
    const { view, placed } = store.getState();
    return { ...fitOptions, nodes: openedOn(view.ids, placed, roughSize()).map((id) => ({ id })) };
  });
  const onKeyDown = useCanvasKeys(surface);
  useReveal(surface);
  useRegisterPort(surface);

  const at = useCallback(
    (event: { clientX: number; clientY: number }): Point =>
      centred(flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })),
    [flow],
  );

  const onDragStop = useCallback(
    (_event: unknown, _node: unknown, dragged: readonly StepNode[]) => {
      const { placed, moveSteps } = store.getState();
      const moved = dragged.filter(({ id, position }) => placed[id]?.x !== position.x || placed[id]?.y !== position.y);
      if (moved.length > 0) moveSteps(Object.fromEntries(moved.map(({ id, position }) => [id, position])));
    },
    [store],
  );
  const onSelectionDragStop = useCallback(
    (event: unknown, dragged: readonly StepNode[]) => onDragStop(event, null, dragged),
    [onDragStop],
  );
  const onConnectStart = useCallback(
    (_event: unknown, { nodeId, handleType }: OnConnectStartParams) => {
      if (nodeId !== null) store.getState().startConnecting(nodeId, handleType === 'target' ? 'in' : 'out');
    },
    [store],
  );
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, connection: FinalConnectionState) => {
      store.getState().endConnecting();
      if (connection.isValid || connection.toNode !== null || connection.fromNode === null) return;
      const point = 'changedTouches' in event ? event.changedTouches[0] : event;
      if (
        point === undefined ||
        !(event.target instanceof Element) ||
        event.target.closest('.react-flow__pane') === null
      )
        return;
      const from = connection.fromNode.id;
      const place = flow.screenToFlowPosition({ x: point.clientX, y: point.clientY });
      const outwards = connection.fromHandle?.type !== 'target';
      store.getState().setDialog({
        kind: 'add_step',
        place: {
          at: { x: outwards ? place.x : place.x - cardWidth, y: place.y - cardHeight / 2 },
          ...(outwards ? { after: from } : { before: from }),
        },
      });
    },
    [store, flow],
  );
  const onConnect = useCallback(
    ({ source, target }: Connection) => store.getState().edit({ kind: 'connect', from: source, to: target }),
    [store],
  );
  const isValidConnection = useCallback(
    ({ source, target }: { source: string; target: string }) => {
      const connecting = store.getState().connecting;
      if (connecting === null) return source !== target;
      return !connecting.blocked.has(connecting.from === source ? target : source);
    },
    [store],
  );
  const onPaneClick = useCallback(() => {
    store.getState().select([]);
    surface.current?.focus({ preventScroll: true });
  }, [store]);
  const onNodeContextMenu = useCallback(
    (event: ReactMouseEvent, node: StepNode) => {
      event.preventDefault();
      const state = store.getState();
      if (!state.selection.has(node.id)) state.select([node.id]);
      // The menu gives the focus back to what had it.
      focusCard(surface.current, node.id);
      state.setDialog({ kind: 'menu', x: event.clientX, y: event.clientY, on: { kind: 'step', id: node.id } });
    },
    [store],
  );
  const onEdgeContextMenu = useCallback(
    (event: ReactMouseEvent, edge: LinkEdgeType) => {
      event.preventDefault();
      surface.current?.focus({ preventScroll: true });
      store.getState().selectLink(edge.id);
      store
        .getState()
        .setDialog({ kind: 'menu', x: event.clientX, y: event.clientY, on: { kind: 'link', id: edge.id } });
    },
    [store],
  );
  const onPaneContextMenu = useCallback(
    (event: ReactMouseEvent | MouseEvent) => {
      event.preventDefault();
      surface.current?.focus({ preventScroll: true });
      store
        .getState()
        .setDialog({ kind: 'menu', x: event.clientX, y: event.clientY, on: { kind: 'canvas', at: at(event) } });
    },
    [store, at],
  );
  const onMoveEnd = useCallback((_event: unknown, moved: Viewport) => onViewport(moved), [onViewport]);
  const onDoubleClick = useCallback(
    (event: ReactMouseEvent) => {
      if (!(event.target instanceof Element) || event.target.closest('.react-flow__pane') === null) return;
      store.getState().setDialog({ kind: 'add_step', place: { at: at(event) } });
    },
    [store, at],
  );

  return (
    <section
      ref={surface}
      className={classes['canvas']}
      aria-label={t('canvas.label')}
      aria-describedby="chain-summary"
      tabIndex={nodes.length === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
      onDoubleClick={onDoubleClick}
      {...useDropTarget(surface, at)}
    >
      <ArrowMarker />
      <ReactFlow<StepNode, LinkEdgeType>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeDragStop={onDragStop}
        onSelectionDragStop={onSelectionDragStop}
        onConnect={onConnect}
        onConnectStart={onConnectStart}
        onConnectEnd={onConnectEnd}
        onClickConnectStart={onConnectStart}
        isValidConnection={isValidConnection}
        onPaneClick={onPaneClick}
        onNodeContextMenu={onNodeContextMenu}
        onEdgeContextMenu={onEdgeContextMenu}
        onPaneContextMenu={onPaneContextMenu}
        onMoveEnd={onMoveEnd}
        {...(start === null ? { fitView: true, fitViewOptions: firstFit } : { defaultViewport: start })}
        onlyRenderVisibleElements={nodes.length >= cullFrom}
        minZoom={0.05}
        maxZoom={2}
        nodeDragThreshold={4}
        snapToGrid
        snapGrid={snapGrid}
        connectionRadius={28}
        connectionLineType={ConnectionLineType.Bezier}
        selectionMode={SelectionMode.Partial}
        selectionOnDrag
        panOnDrag={middleAndRight}
        panOnScroll={scroll_mode === 'pan'}
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={multiSelectionKeys}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        elevateNodesOnSelect={false}
        proOptions={noAttribution}
      >
        <Background variant={BackgroundVariant.Dots} gap={24} size={1.4} color="var(--s-border-strong)" />
        <ConnectHint />
      </ReactFlow>
    </section>
  );
}

/** The drawn elements follow the store; a drag in progress lives here only, and reaches the store when it ends. */
function useFlowElements() {
  const store = useEditorStore();
  const ids = useEditor((state) => state.view.ids);
  const placed = useEditor((state) => state.placed);
  const selection = useEditor((state) => state.selection);
  const links = useEditor((state) => state.view.links);
  const selectedLink = useEditor((state) => state.selectedLink);
  const [nodes, setNodes] = useState<StepNode[]>(() => syncNodes([], ids, placed, selection));
  const routes = useMemo(() => routeLinks(links, placed), [links, placed]);
  const [edges, setEdges] = useState<LinkEdgeType[]>(() => syncEdges([], links, selectedLink, routes));
  useLayoutEffect(() => setNodes((now) => syncNodes(now, ids, placed, selection)), [ids, placed, selection]);
  useLayoutEffect(() => setEdges((now) => syncEdges(now, links, selectedLink, routes)), [links, selectedLink, routes]);

  const onNodesChange = useCallback(
    (changes: NodeChange<StepNode>[]) => {
      const drawn = changes.filter(({ type }) => type === 'position' || type === 'select');
      if (drawn.length === 0) return;
      setNodes((now) => applyNodeChanges(drawn, now));
      const selected = drawn.filter((change) => change.type === 'select');
      if (selected.length === 0) return;
      const next = new Set(store.getState().selection);
      for (const change of selected) {
        if (change.selected) next.add(change.id);
        else next.delete(change.id);
      }
      store.getState().select(next);
    },
    [store],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<LinkEdgeType>[]) => {
      for (const change of changes) {
        if (change.type !== 'select') continue;
        if (change.selected) store.getState().selectLink(change.id);
        else if (store.getState().selectedLink === change.id) store.getState().selectLink(null);
      }
    },
    [store],
  );
  return [nodes, edges, onNodesChange, onEdgesChange] as const;
}

/** Shows the step that somebody asked for: pans only when it is not on the screen, then gives it the focus. */
function useReveal(surface: { readonly current: HTMLElement | null }): void {
  const store = useEditorStore();
  const flow = useReactFlow();
  const flowStore = useStoreApi();
  const reveal = useEditor((state) => state.reveal);
  useEffect(() => {
    if (reveal === null) return;
    const place = store.getState().placed[reveal.id];
    const element = surface.current;
    if (place === undefined || element === null) return;
    const { zoom, x, y } = flow.getViewport();
    const { width, height } = flowStore.getState();
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const inside = left >= 0 && top >= 0 && left + cardWidth * zoom <= width && top + cardHeight * zoom <= height;
    if (!inside && width > 0)
      void flow.setCenter(place.x + cardWidth / 2, place.y + cardHeight / 2, { zoom: Math.max(zoom, 0.5) });
    if (!reveal.focus) return;
    // A card that was outside is drawn in the next frame.
    const focus = () => focusCard(element, reveal.id);
    const frame = requestAnimationFrame(() => {
      focus();
      requestAnimationFrame(focus);
    });
    return () => cancelAnimationFrame(frame);
  }, [reveal, store, flow, flowStore, surface]);
}

function focusCard(surface: HTMLElement | null, id: string): void {
  surface?.querySelector<HTMLElement>(`[data-step-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

/** Commands outside of the canvas (zoom, fit, add in the middle) reach it through this. */
function useRegisterPort(surface: { readonly current: HTMLElement | null }): void {
  const flow = useReactFlow<StepNode, LinkEdgeType>();
  const register = useCanvasPort();
  useEffect(() => {
    const port: CanvasPort = {
      fit: (ids) =>
        void flow.fitView({
          ...fitOptions,
          duration: calm(180),
          ...(ids === undefined ? {} : { nodes: ids.map((id) => ({ id })) }),
        }),
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: calm(120) }),
      zoomTo: (zoom) => void flow.zoomTo(zoom, { duration: calm(120) }),
      centre: () => {
        const box = surface.current?.getBoundingClientRect();
        if (box === undefined) return { x: 0, y: 0 };
        return centred(flow.screenToFlowPosition({ x: box.left + box.width / 2, y: box.top + box.height / 2 }));
      },
      focus: () =>
        surface.current?.querySelector<HTMLElement>('[data-step-id][tabindex="0"]')?.focus() ??
        surface.current?.focus(),
    };
    register(port);
    return () => register(null);
  }, [flow, register, surface]);
}

/** What the palette, the inspector and the bars leave of the window; the canvas is not on the screen yet to be measured. */
function roughSize(): { width: number; height: number } {
  return { width: Math.max(320, window.innerWidth - 600), height: Math.max(240, window.innerHeight - 200) };
}

/** No flight of the view for who asked the system for less motion. */
function calm(ms: number): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms;
}

function centred(point: Point): Point {
  return { x: point.x - cardWidth / 2, y: point.y - cardHeight / 2 };
}

/** Takes skills from the palette; over a wire the new step goes in between. The mark of the wire is no React state. */
function useDropTarget(surface: { readonly current: HTMLElement | null }, at: (event: DragEvent) => Point) {
  const store = useEditorStore();
  const marked = useRef<Element | null>(null);
  const mark = useCallback((edge: Element | null) => {
    if (marked.current === edge) return;
    marked.current?.classList.remove('dropTarget');
    edge?.classList.add('dropTarget');
    marked.current = edge;
  }, []);
  const edgeUnder = (event: DragEvent): Element | null =>
    document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((element) => element.closest('.react-flow__edge'))
      .find((edge) => edge !== null && surface.current?.contains(edge)) ?? null;
  return {
    onDragOver: (event: DragEvent) => {
      if (!isItemDrag(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      mark(edgeUnder(event));
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !surface.current?.contains(event.relatedTarget)) mark(null);
    },
    onDrop: (event: DragEvent) => {
      const item = draggedItem(event.dataTransfer, store.getState());
      const edge = edgeUnder(event);
      mark(null);
      if (item === null) return;
      event.preventDefault();
      const link = store.getState().view.links.find(({ id }) => id === edge?.getAttribute('data-id'));
      addItem(store, item, {
        at: at(event),
        ...(link === undefined ? {} : { insert: { from: link.from, to: link.to } }),
      });
      surface.current?.querySelector<HTMLElement>('[data-selected]')?.focus({ preventScroll: true });
    },
  };
}

/** Says, while a wire is drawn to a step that it may not end at, why not. */
function ConnectHint() {
  const { t } = useTranslation('editor');
  const target = useConnection((connection) => (connection.inProgress ? (connection.toNode?.id ?? null) : null));
  const refusal = useEditor((state) => (target === null ? undefined : state.connecting?.blocked.get(target)));
  const store = useEditorStore();
  if (refusal === undefined || target === store.getState().connecting?.from) return null;
  return (
    <div className={classes['hint']} role="status">
      {refusalText(refusal, store.getState(), t)}
    </div>
  );
}

function ArrowMarker() {
  return (
    <svg className={classes['defs']} aria-hidden>
      <defs>
        <marker
          id="chain-arrow"
          viewBox="0 0 10 10"
          refX="10"
          refY="5"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path
            d="M1 1.5 L8 5 L1 8.5"
            fill="none"
            stroke="context-stroke"
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </marker>
      </defs>
    </svg>
  );
}
