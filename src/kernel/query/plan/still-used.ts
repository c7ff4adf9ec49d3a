import { hasDraft } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecGet, vecToArray } from '../../state/vec.ts';
import { isReactive } from './reactive-route.ts';
import { realTools } from './tools.ts';

/** The parts that a run uses from now on if its plan holds. A process that continues the run must have all of them. */
export interface StillUsed {
  /** Tools of open steps with their probes and compensations, and compensations of the effects made so far. */
  readonly tools: ReadonlySet<string>;
  /** Model roles of the manifest. */
  readonly roles: ReadonlySet<'planner' | 'executor' | 'verifier' | 'router'>;
}

const NO_ROLES: StillUsed['roles'] = new Set();

export function stillUsed(env: KernelEnv, state: RunState): StillUsed {
  const { planning, work, current, lanes = [], intake } = state;
  // A rollback executes no further step and plans nothing.
  const isEnding = isRollingBack(state);
  const steps = isEnding ? [] : (planning.active?.plan.steps ?? []);
  const open = steps.filter((_, at) => vecGet(work.progress, at)?.status === 'pending');
  const calls = [
    ...open.map(({ tool, params = {} }) => ({ tool, args: params })),
    ...(current === null ? [] : [current]),
    ...lanes.map(({ step }) => step),
  ];
  const called = calls.flatMap((call) => realTools(env, call));
  const undone = vecToArray(work.effects).flatMap(({ compensate }) => compensate ?? []);
  const tools = new Set([...called, ...called.flatMap((tool) => probeTools(env, tool)), ...undone]);
  const asksModel = called.some((tool) => (env.tools.get(tool)?.cost.input_tokens ?? 0) > 0);
  const hasOpenDraft = open.some(({ params }) => params !== undefined && hasDraft(params));
  if (isEnding) return { tools, roles: NO_ROLES };
  const roles: StillUsed['roles'] = new Set([
    ...(planning.active === null || state.ending.inFlight === 'plan' || isReactive(env) ? ['planner' as const] : []),
    ...(asksModel || hasOpenDraft ? ['executor' as const] : []),
    ...((env.judges ?? []).length > 0 ? ['verifier' as const] : []),
    ...(intake.intent === null ? ['router' as const] : []),
  ]);
  return { tools, roles };
}

/** The probes and the compensation of a tool. */
export const probeTools = ({ tools }: Pick<KernelEnv, 'tools'>, tool: string): readonly string[] =>
  Object.values(tools.get(tool)?.probes ?? {}).filter((name) => name !== undefined);

/** The first companion of a tool that the run may not call; null if it may call all of them. */
export function forbiddenCompanion({ tools }: Pick<KernelEnv, 'tools'>, state: RunState, tool: string): string | null {
  const granted = state.intake.token?.allowed_tools ?? [];
  const isOwn = hasRule(state, 'companions_belong');
  // A tool outside the permissions of the run is a compensation, and its probes are permitted with it.
  if (isOwn && !granted.includes(tool)) return null;
  const companions = probeTools({ tools }, tool).filter((name) => !granted.includes(name));
  const undo = tools.get(tool)?.probes?.compensate;
  return companions.find((name) => !isOwn || name !== undo) ?? null;
}
