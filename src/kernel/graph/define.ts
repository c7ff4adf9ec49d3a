import { guardInput } from '../../model/fault/guard-input.ts';
import {
  type EdgeOwner,
  type GraphEdge,
  type GraphNode,
  type GraphSpec,
  type GuardDeclaration,
  type NodeRole,
  TERMINAL_WRITES,
  type ToolNodeRules,
} from '../../model/plan/graph.ts';
import { declareShipped, ESCALATE, isShipped, STOP } from './guard-names.ts';

/** A role, or a node with overrides of its role's defaults. */
export type NodeDefinition = NodeRole | Omit<GraphNode, 'id'>;

/** `[from, to, guard]`, with `'model'` as fourth element if a model may choose the edge. */
export type EdgeDefinition<Id extends string> = readonly [from: Id, to: Id, guard: string, owner?: EdgeOwner];

export interface GraphDefinition<Id extends string> {
  readonly name: string;
  readonly version: string;
  readonly tier: number;
  readonly entry: NoInfer<Id>;
  readonly nodes: Readonly<Record<Id, NodeDefinition>>;
  readonly edges: readonly EdgeDefinition<NoInfer<Id>>[];
  /** Declarations of custom guards. */
  readonly guards?: readonly GuardDeclaration[];
  readonly outcomes?: Partial<GraphSpec['outcomes']>;
}

/** The rules that the gateway enforces for every call; a node may name stricter ones. */
export const STANDARD_TOOL_RULES: ToolNodeRules = Object.freeze({
  permission: 'token_and_boundary@1',
  schema: 'input_and_output_schema@1',
  budget: 'reserve_before_call@1',
  timeout: 'timeout_of_tool@1',
  observation_verification: 'critic_before_commit@1',
});

/**
 * Roles that an escalation may interrupt. Before there is a plan a person has nothing to decide about, a question waits
 * for the user, and a success never passes through an escalation.
 */
const ESCALATES: ReadonlySet<NodeRole> = new Set<NodeRole>([
  'plan',
  'plan_validation',
  'action_selection',
  'tool_eligibility',
  'tool_invocation',
  'observation_capture',
  'observation_verification',
  'repair',
  'state_update',
  'completion_check',
]);

/**
 * Completes a graph: adds role defaults, declarations of shipped guards, interrupt edges from every node to the
 * terminal node and to human approval, and the paths of the outcomes. `compile` checks the result.
 */
export function defineGraph<const Id extends string>(definition: GraphDefinition<Id>): GraphSpec {
  return guardInput('defineGraph', () => {
    const { name, version, tier, entry } = definition;
    const nodes = Object.entries<NodeDefinition>(definition.nodes).map(([id, node]) => complete(id, node));
    const edges = withInterrupts(nodes, definition.edges.map(toEdge));
    const guards = [...shippedGuards(edges), ...(definition.guards ?? [])];
    const outcomes = { ...standardOutcomes(nodes), ...definition.outcomes };
    return { name, version, tier, entry, nodes, edges, guards, outcomes };
  })();
}

function complete(id: string, definition: NodeDefinition): GraphNode {
  const node = typeof definition === 'string' ? { role: definition } : definition;
  if (node.role === 'terminate') return { id, terminal: true, writes: TERMINAL_WRITES, ...node };
  if (node.role === 'tool_invocation') return { id, tool: STANDARD_TOOL_RULES, ...node };
  return { id, ...node };
}

function toEdge([from, to, guard, owner = 'orchestrator']: EdgeDefinition<string>): GraphEdge {
  return { from, to, guard, owner };
}

function withInterrupts(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const written = new Set(edges.map(({ from, to, guard }) => `${from} ${to} ${guard}`));
  const all = [...edges];
  const add = (from: string, to: string | undefined, guard: string): void => {
    if (to === undefined || written.has(`${from} ${to} ${guard}`)) return;
    all.push({ from, to, guard, owner: 'orchestrator' });
  };
  const terminal = idOf(nodes, 'terminate');
  const approval = idOf(nodes, 'human_approval');
  for (const { id, role } of nodes) {
    if (role !== 'terminate') add(id, terminal, STOP);
    if (ESCALATES.has(role)) add(id, approval, ESCALATE);
  }
  return all;
}

function shippedGuards(edges: readonly GraphEdge[]): readonly GuardDeclaration[] {
  return [...new Set(edges.map((edge) => edge.guard))].filter(isShipped).map(declareShipped);
}

/** Without a terminal node the paths name a missing one, so that compilation reports every outcome. */
function standardOutcomes(nodes: readonly GraphNode[]): GraphSpec['outcomes'] {
  const terminal = idOf(nodes, 'terminate') ?? 'terminate';
  const approval = idOf(nodes, 'human_approval');
  const stop = { guard: STOP, to: terminal };
  return {
    success: { guard: 'response_fixed@1', to: terminal },
    failure: stop,
    cancellation: stop,
    escalation: approval === undefined ? stop : { guard: ESCALATE, to: approval },
    budget_exhaustion: stop,
  };
}

function idOf(nodes: readonly GraphNode[], role: NodeRole): string | undefined {
  return nodes.find((node) => node.role === role)?.id;
}
