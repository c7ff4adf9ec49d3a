import { isJsonList, type Json, own } from '../../../model/json/json.ts';
import { placesIn } from '../../../model/json/sealed.ts';
import { Binding, looksLikeBinding } from '../../../model/plan/plan.ts';
import { outsiderTexts } from '../../../model/text/outsider-texts.ts';
import type { ToolCall } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { keysOf } from '../../verify/validate-step.ts';
import { endsByAnswer } from '../plan/completion.ts';
import { carryOver, doneSteps } from '../plan/steps.ts';

/** A committed value that the answer may show, and the observation behind it. */
export interface Presented {
  readonly value: Json;
  readonly observation: string;
  /** The tool that returned the value. */
  readonly tool: string;
  /** JSON Pointers to parts that the requester may not see. */
  readonly hidden: readonly string[];
  /** JSON Pointers to texts that outsiders wrote. */
  readonly untrusted: readonly string[];
  /** `plan`: a `respond` step names it. Otherwise the goal declares criteria (`criteria`) or none (`observed`). */
  readonly because: 'plan' | 'criteria' | 'observed';
  /** The statements of the criteria that it proves; empty if it proves none. */
  readonly asked: string;
}

/** The request, and the committed values that may answer it. */
export interface Presentation {
  /** The words of the request and of the plan's answer steps. */
  readonly request: string;
  readonly values: readonly Presented[];
}

/** The values that may answer the request: the inputs of completed `respond` steps, or else everything observed. */
export function presentedValues(env: KernelEnv, state: RunState): Presentation {
  const steps = state.planning.active?.plan.steps ?? [];
  const respondSteps = steps.filter(
    ({ tool }, index) =>
      env.tools.get(tool)?.speaks === 'respond' && vecGet(state.work.progress, index)?.status === 'committed',
  );
  const objectives = respondSteps.flatMap(({ task_objective = '', expected_output = '' }) => [
    task_objective,
    expected_output,
  ]);
  const keys = new Set(respondSteps.flatMap(({ inputs = [] }) => inputs.flatMap(keysOf).map(({ key }) => key)));
  const values = keys.size === 0 ? unplannedValues(env, state) : plannedValues(env, state, [...keys]);
  return { request: [state.intake.goal?.statement ?? '', ...objectives].join(' '), values };
}

function plannedValues(env: KernelEnv, state: RunState, keys: readonly string[]): readonly Presented[] {
  const { steps: done, fillers } = carryOver(state);
  return keys.flatMap((key): readonly Presented[] => {
    const fact = assocGet(done, assocGet(fillers, key) ?? '')?.fact;
    return fact === undefined ? [] : [present(env, state, fact, 'plan')];
  });
}

function unplannedValues(env: KernelEnv, state: RunState): readonly Presented[] {
  const because = endsByAnswer(state) ? 'observed' : 'criteria';
  return doneSteps(state)
    .filter(({ step }) => env.tools.get(step.tool)?.speaks === undefined)
    .map(({ fact }) => present(env, state, fact, because));
}

function present(
  env: KernelEnv,
  { intake, work }: RunState,
  { value, evidenceId, source, trusted }: Fact,
  because: Presented['because'],
): Presented {
  const proven = (intake.goal?.acceptance_criteria ?? []).filter(
    ({ evidence }) => evidence !== undefined && own(work.evidenceByType, evidence) === evidenceId,
  );
  return {
    value,
    observation: evidenceId,
    tool: source,
    hidden: placesIn(value, env.tools.get(source)?.privacy?.seals ?? []),
    untrusted: trusted ? [] : outsiderTexts(value, ''),
    because,
    asked: proven.map(({ statement }) => statement).join(' '),
  };
}

/** The JSON Pointers into a step's answer that later steps and the output are bound to, sorted. */
export function boundParts(
  { tools }: KernelEnv,
  { planning }: RunState,
  { step_id: stepId, tool }: ToolCall,
): readonly string[] {
  const { conditions = {}, about = {} } = tools.get(tool) ?? {};
  const places = new Set([...Object.values(conditions), ...(about === 'every_call' ? [] : Object.values(about))]);
  const { steps = [], output } = planning.active?.plan ?? {};
  for (const { params } of steps) if (params !== undefined) collectBoundPaths(params, stepId, places);
  if (output !== undefined) collectBoundPaths(output, stepId, places);
  return [...places].toSorted();
}

function collectBoundPaths(value: Json, stepId: string, places: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const bound: boolean = looksLikeBinding(value);
  if (!bound) {
    for (const child of isJsonList(value) ? value : Object.values(value)) collectBoundPaths(child, stepId, places);
    return;
  }
  const read = Binding.safeParse(value);
  if (read.success && read.data.$from === stepId) places.add(read.data.path);
}
