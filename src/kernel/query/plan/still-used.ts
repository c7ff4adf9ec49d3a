import { hasDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import type { Panel } from '../../state/judge-panel.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecGet, vecToArray } from '../../state/vec.ts';
import { panelOnRun, panelOnStep } from '../critic-input/panels.ts';
import { realTools } from './tools.ts';

/** The parts that a run uses from now on if its plan holds. A process that continues the run must have all of them. */
export interface StillUsed {
  /** Tools of open steps with their probes and compensations, and compensations of the effects made so far. */
  readonly tools: ReadonlySet<string>;
  /** The planner is asked before anything else happens. */
  readonly plans: boolean;
  /** The drafter fills in arguments of open steps. */
  readonly drafts: boolean;
  /** A tool of an open step asks a model. */
  readonly asksModels: boolean;
  /** Ids of the judges of open steps and of the run. */
  readonly judges: ReadonlySet<string>;
  readonly classifies: boolean;
}

const NO_MODELS = { plans: false, drafts: false, asksModels: false, judges: new Set<string>(), classifies: false };

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
  if (isEnding) return { tools, ...NO_MODELS };
  return {
    tools,
    plans: planning.active === null || state.ending.inFlight === 'plan',
    drafts: open.some(({ params }) => params !== undefined && hasDraft(params)),
    asksModels: called.some((tool) => (env.tools.get(tool)?.cost.input_tokens ?? 0) > 0),
    judges: new Set(panelsOf(env, state, open).flatMap(({ asked }) => asked.map(({ judge }) => judge))),
    classifies: intake.intent === null,
  };
}

/** The judges that are being asked, those of each open step, and those of the run. */
const panelsOf = (env: KernelEnv, { panel, intake }: RunState, open: readonly PlanStep[]): readonly Panel[] => [
  ...(panel === null || panel.answers !== null ? [] : [panel]),
  ...open.map((step) => panelOnStep(env, intake.risk, step)),
  panelOnRun(env, intake),
];

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
