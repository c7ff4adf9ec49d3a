import { z } from 'zod';
import { exact, exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';

/** The role of a node in a run. The kernel acts on roles; the author chooses the ids. */
export const NODE_ROLES = [
  'goal_intake',
  'classify_intent',
  'scope_resolution',
  'state_init',
  'plan',
  'plan_validation',
  'action_selection',
  'tool_eligibility',
  'tool_invocation',
  'observation_capture',
  'observation_verification',
  'repair',
  'ask_user',
  'human_approval',
  'state_update',
  'completion_check',
  'finalize',
  'terminate',
] as const;
export type NodeRole = (typeof NODE_ROLES)[number];
export const NodeRole: z.ZodType<NodeRole> = z.enum(NODE_ROLES);

/** The rules that a node with tool access has to declare. */
export const TOOL_RULES = ['permission', 'schema', 'budget', 'timeout', 'observation_verification'] as const;
export type ToolRule = (typeof TOOL_RULES)[number];
/** Partial, so that compilation can report a missing rule together with all other problems. */
export type ToolNodeRules = { readonly [R in ToolRule]?: string };
export const ToolNodeRules: z.ZodType<ToolNodeRules> = exactObject({
  permission: Name.exactOptional(),
  schema: Name.exactOptional(),
  budget: Name.exactOptional(),
  timeout: Name.exactOptional(),
  observation_verification: Name.exactOptional(),
});

/** The writes required of every terminal node. */
export const TERMINAL_WRITES = ['trace', 'status', 'resource_release', 'final_state'] as const;
export type TerminalWrite = (typeof TERMINAL_WRITES)[number];
export const TerminalWrite: z.ZodType<TerminalWrite> = z.enum(TERMINAL_WRITES);

/** The bound of a cycle through this node. A cycle needs at least one. */
export type CycleBound =
  | { readonly kind: 'exit_condition'; readonly guard: string }
  | { readonly kind: 'retry_limit'; readonly max: number }
  | { readonly kind: 'budget_limit'; readonly dimension: string }
  | { readonly kind: 'escalation_path'; readonly to: string };
export const CycleBound: z.ZodType<CycleBound> = exact(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('exit_condition'), guard: Name }),
    z.strictObject({ kind: z.literal('retry_limit'), max: z.int().positive().max(1_000_000) }),
    z.strictObject({ kind: z.literal('budget_limit'), dimension: Name }),
    z.strictObject({ kind: z.literal('escalation_path'), to: Name }),
  ]),
);

export interface GraphNode {
  readonly id: string;
  readonly role: NodeRole;
  readonly terminal?: boolean;
  readonly tool?: ToolNodeRules;
  readonly writes?: readonly TerminalWrite[];
  readonly bound?: CycleBound;
}
export const GraphNode: z.ZodType<GraphNode> = exactObject({
  id: Name,
  role: NodeRole,
  terminal: z.boolean().exactOptional(),
  tool: ToolNodeRules.exactOptional(),
  writes: z.array(TerminalWrite).exactOptional(),
  bound: CycleBound.exactOptional(),
});

/** The party that takes an edge: the orchestrator at once, or a model that chooses it while its guard holds. */
export const EDGE_OWNERS = ['orchestrator', 'model'] as const;
export type EdgeOwner = (typeof EDGE_OWNERS)[number];
export const EdgeOwner: z.ZodType<EdgeOwner> = z.enum(EDGE_OWNERS);

/**
 * An edge between two nodes. Two edges may join the same nodes under different guards; either guard is then sufficient.
 */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `name@version`; a guard with a changed meaning needs a new version. */
  readonly guard: string;
  readonly owner: EdgeOwner;
}

/** The declared properties of a guard. An edge accepts only deterministic guards that the kernel evaluates. */
export interface GuardDeclaration {
  readonly guard: string;
  readonly deterministic: boolean;
  readonly evaluated_by: 'kernel' | 'model';
}
export const GuardDeclaration: z.ZodType<GuardDeclaration> = exactObject({
  guard: Name,
  deterministic: z.boolean(),
  evaluated_by: z.enum(['kernel', 'model']),
});

export const OUTCOME_CLASSES = ['success', 'failure', 'cancellation', 'escalation', 'budget_exhaustion'] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** The edges of an outcome: those with this guard that lead to this node. */
export interface OutcomePath {
  readonly guard: string;
  readonly to: string;
}
export const OutcomePath: z.ZodType<OutcomePath> = exactObject({ guard: Name, to: Name });

/** A workflow graph as plain data. Two specs that differ only in list order have the same address. */
export interface GraphSpec {
  readonly name: string;
  readonly version: string;
  /** The rung of the autonomy ladder this graph is built for, 1 to 7. */
  readonly tier: number;
  readonly entry: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly guards: readonly GuardDeclaration[];
  readonly outcomes: Readonly<Record<OutcomeClass, OutcomePath>>;
}

/** An unchecked graph. Compilation reports all its problems at once before it becomes a `GraphSpec`. */
export interface GraphDraft extends Omit<GraphSpec, 'edges' | 'outcomes'> {
  readonly edges: readonly EdgeDraft[];
  readonly outcomes: { readonly [C in OutcomeClass]?: OutcomePath };
}
export type EdgeDraft = Omit<GraphEdge, 'guard'> & { readonly guard?: string };

const EdgeDraft: z.ZodType<EdgeDraft> = exactObject({
  from: Name,
  to: Name,
  guard: Name.exactOptional(),
  owner: EdgeOwner,
});
export const GraphDraft: z.ZodType<GraphDraft> = exactObject({
  name: Name,
  version: Name,
  tier: z.int().min(1).max(7),
  entry: Name,
  nodes: z.array(GraphNode),
  edges: z.array(EdgeDraft),
  guards: z.array(GuardDeclaration),
  outcomes: z.partialRecord(z.enum(OUTCOME_CLASSES), OutcomePath),
});
