import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import type { GraphSpec, NodeRole } from '../../model/plan/graph.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RiskClass } from '../../model/policy/risk.ts';
import { toWire } from '../budget/view.ts';
import type { Guard, GuardTable } from '../graph/compiled-graph.ts';
import { isGuardName, isShipped } from '../graph/guard-names.ts';
import { elapsedMs } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';
import { GUARDS } from './guards.ts';
import { doneSteps } from './plan/steps.ts';

/** The state of a run as a guard of the host sees it. All of it is recorded, so that replay computes the same answer. */
export interface GuardView {
  readonly intent: string | null;
  readonly risk: RiskClass;
  /** The words of the request. */
  readonly goal: string;
  readonly inputs: JsonObject;
  /** The plan in force. */
  readonly plan: Plan | null;
  /** Whether a person has approved this plan. */
  readonly approved: boolean;
  /** The step at hand, with its arguments as they will be sent. */
  readonly step: { readonly id: string; readonly tool: string; readonly args: JsonObject } | null;
  /** The committed value of each step, by step id. */
  readonly committed: Readonly<Record<string, Json>>;
  /** The types of the evidence so far. */
  readonly evidence: readonly string[];
  /** The remaining budget, by dimension. */
  readonly remaining: Readonly<Record<string, number>>;
}

/** A guard of the host: a pure, synchronous function. Only `true` opens the edge; a throw is a refusal. */
export type OwnGuard = (view: GuardView) => boolean;

/** Guards of the host by `name@version`, such as `refund.is_small@1`. A changed meaning needs a new version. */
export type OwnGuards = Readonly<Record<string, OwnGuard>>;

/** Why a guard of the host cannot be used under this name; null if it can. */
export function whyNotOwnGuard(name: string, guard: unknown): string | null {
  if (!isGuardName(name)) return 'its name must be name@version, such as refund.is_small@1';
  if (SHIPPED_NAMES.has(baseOf(name))) return 'a guard of this name ships with Ambit';
  if (typeof guard !== 'function') return 'it must be a function of the state, such as ({ step }) => step !== null';
  return guard.constructor.name === 'AsyncFunction' ? 'it must be synchronous' : null;
}

const baseOf = (name: string): string => name.slice(0, name.indexOf('@'));
const SHIPPED_NAMES: ReadonlySet<string> = new Set(Object.keys(GUARDS).map(baseOf));

/** The shipped guards and those of the host. */
export function guardsWith(own: OwnGuards): GuardTable<RunState> {
  const wrapped = Object.entries(own).map(([name, guard]): readonly [string, Guard<RunState>] => [name, wrap(guard)]);
  return { ...Object.fromEntries(wrapped), ...GUARDS };
}

function wrap(guard: OwnGuard): Guard<RunState> {
  return (state) => {
    try {
      // A promise is no answer, so an asynchronous guard refuses.
      return guard(viewOf(state)) === true;
    } catch {
      return false;
    }
  };
}

/** Reads lazily: few guards read the whole state, and the results of a run may be large. */
const viewOf = (state: RunState): GuardView =>
  Object.freeze<GuardView>({
    intent: state.intake.intent,
    risk: state.intake.risk,
    goal: state.intake.goal?.statement ?? '',
    approved: state.planning.approved,
    get inputs() {
      return deepFreeze(state.intake.answers);
    },
    get plan() {
      return deepFreeze(state.planning.active?.plan ?? null);
    },
    get step() {
      const { current } = state;
      return current === null ? null : deepFreeze({ id: current.stepId, tool: current.tool, args: current.args });
    },
    get committed() {
      return deepFreeze(Object.fromEntries(doneSteps(state).map(({ step, fact }) => [step.id, fact.value])));
    },
    get evidence() {
      return Object.keys(state.work.evidenceByType);
    },
    get remaining() {
      return state.budget === null ? {} : toWire(state.budget, elapsedMs(state)).remaining;
    },
  });

/** The guards of a graph that do not ship with Ambit, as `name@version`, sorted. */
export const ownGuardsOf = ({ edges }: Pick<GraphSpec, 'edges'>): readonly string[] =>
  [...new Set(edges.map(({ guard }) => guard))].filter((guard) => !isShipped(guard)).toSorted();

/** The own guards that a recorded graph uses and this table lacks. */
export const missingGuards = (graph: JsonObject, guards: GuardTable<RunState> = GUARDS): readonly string[] =>
  recordedGuards(graph).filter((name) => !Object.hasOwn(guards, name));

function recordedGuards({ edges }: JsonObject): readonly string[] {
  if (!Array.isArray(edges)) return [];
  const names = (edges as readonly Json[]).flatMap((edge) => (isJsonObject(edge) ? [String(edge['guard'])] : []));
  return [...new Set(names)].filter((name) => !isShipped(name)).toSorted();
}

/** Explains why this process lacks a guard of a run: names the version of the run and the versions here. */
export function explainMissingGuard(name: string, guards: GuardTable<RunState> = GUARDS): string {
  const here = Object.keys(guards).filter((other) => baseOf(other) === baseOf(name));
  return `the run was made with guard ${name}, but this process has ${here.join(', ') || 'no such guard'}`;
}

/**
 * The guards for a recorded graph. A guard that throws `version_changed` replaces each missing one, so that a run which
 * has not reached it can still be read and ended.
 */
export function guardsForRecorded(graph: JsonObject, guards: GuardTable<RunState> = GUARDS): GuardTable<RunState> {
  const missing = missingGuards(graph, guards);
  if (missing.length === 0) return guards;
  const stubs = missing.map((name): readonly [string, Guard<RunState>] => [
    name,
    () => {
      throw new Fault('version_changed', `${explainMissingGuard(name, guards)}: continue it in a process that has it`);
    },
  ]);
  return { ...guards, ...Object.fromEntries(stubs) };
}

/** The edges for guards of the host: those on which a run goes on to its next action or to its answer. */
const OWN_EDGES: ReadonlyMap<NodeRole, NodeRole> = new Map([
  ['plan_validation', 'action_selection'],
  ['action_selection', 'tool_eligibility'],
  ['tool_eligibility', 'tool_invocation'],
  ['completion_check', 'finalize'],
]);

/**
 * Refuses a guard of the host on any other edge: what was called is recorded in any case, and repairs, approvals and
 * the end of a run keep the rules of Ambit.
 */
export function assertOwnEdges({ name, nodes, edges }: GraphSpec): void {
  const roles = new Map(nodes.map(({ id, role }) => [id, role]));
  for (const { from, to, guard } of edges) {
    if (isShipped(guard)) continue;
    const [source, target] = [roles.get(from), roles.get(to)];
    if (source !== undefined && target !== undefined && OWN_EDGES.get(source) === target) continue;
    const allowed = [...OWN_EDGES].map(([start, end]) => `${start} to ${end}`).join(', ');
    const message = `the graph ${name} has the guard ${guard} from ${from} to ${to}: a guard of the host may stand on the edges from ${allowed}`;
    throw new Fault('graph_invalid', message, { path: '/graph' });
  }
}
