import type { BudgetCaps } from '../../model/budget/budget.ts';
import type { ModelCall } from '../../model/budget/model-call.ts';
import type { RunCost } from '../../model/budget/run-cost.ts';
import type { Scores } from '../../model/critic/verdict.ts';
import type { EventOf, EventType, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { type ResolvedEvent, resolveAsPlanned } from '../../model/events/resolve-as-planned.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Problem } from '../../model/json/problem.ts';
import {
  type EventPointer,
  NONE,
  type RunTrace,
  type StateCheckpoint,
  type ToolCallTrace,
  type UserScope,
  type ValidationResult,
} from '../../model/record/trace.ts';
import { readOutcome } from '../../model/run/lane-outcome.ts';
import { MANIFEST_ROLE, type ModelVersions, nameAndVersion, type RunManifest } from '../../model/run/manifest.ts';
import { reportedOutcomeReader } from '../../model/tool/reported-outcome.ts';
import { callsIn } from '../model-exchanges.ts';
import { escalationsIn } from './escalations.ts';

type Kind = ValidationResult['kind'];

/** The kind of check of each evaluator, by name. Others check acceptance. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['schema', 'schema'],
  ['policy', 'safety'],
  ['safety', 'safety'],
  ['grounding', 'grounding'],
  ['evidence', 'grounding'],
  ['sources', 'grounding'],
  ['receipt', 'grounding'],
  ['assumptions', 'grounding'],
]);

/** All checks of a run with their results. `accept` is the score that a check has to reach. */
function validationsIn(events: readonly RunEvent[], accept: number): readonly ValidationResult[] {
  const steps = new Map<string, string>();
  return events.map(resolveAsPlanned()).flatMap((event): readonly ValidationResult[] => {
    if (event.type === 'step_attempted') steps.set(event.call_id, event.step_id);
    if (event.type === 'step_verified') return [verified(event, steps.get(event.call_id) ?? null)];
    if (event.type === 'step_probed') return [probed(event, steps.get(event.call_id) ?? null)];
    if (event.type === 'step_judged') return scored(event.step_id, event.criteria, accept);
    if (event.type === 'run_judged') return [...scored(null, event.criteria, accept), ...unmet(event)];
    const read = RESULT_READERS[event.type] as ((event: ResolvedEvent) => ValidationResult) | undefined;
    return read === undefined ? [] : [read(event)];
  });
}

type ResultReader<T extends EventType> = (event: Extract<ResolvedEvent, { readonly type: T }>) => ValidationResult;

const RESULT_READERS: { readonly [T in EventType]?: ResultReader<T> } = {
  policy_checked: ({ cleared, rule }) =>
    result('safety', null, 'goal_policy', cleared, rule === null ? 'no rule forbids the goal' : `the rule ${rule}`),
  plan_verified: ({ verdict, problems, checks }) =>
    result('schema', null, 'plan_verification', verdict === 'ok', textOf(problems, `${checks.length} checks passed`)),
  step_cleared: ({ step_id, policy }) =>
    result('safety', step_id, policy?.version ?? 'gateway', true, 'every layer let the call pass'),
  step_refused: ({ step_id, layer, code, message }) =>
    result(layer === 'schema' ? 'schema' : 'safety', step_id, `gateway:${layer}`, false, `${code}: ${message}`),
};

function verified(event: EventOf<'step_verified'>, stepId: string | null): ValidationResult {
  const { ok, validator, problems } = event;
  return result('schema', stepId, validator, ok, textOf(problems, 'the answer has the shape that was promised'));
}

const probed = ({ probe, as_expected, detail }: EventOf<'step_probed'>, stepId: string | null): ValidationResult =>
  result('grounding', stepId, probe, as_expected, detail);

const scored = (stepId: string | null, criteria: Scores, accept: number): readonly ValidationResult[] =>
  Object.entries(criteria).map(([id, score]) => {
    const kind = KINDS.get(id.slice(0, id.indexOf('@'))) ?? 'acceptance';
    return result(kind, stepId, id, score >= accept, `${score}, where ${accept} is needed`);
  });

const unmet = (event: EventOf<'run_judged'>): readonly ValidationResult[] =>
  event.unmet.map((criterion) => result('acceptance', null, criterion, false, 'nothing shows that it is met'));

const textOf = (problems: readonly Problem[], otherwise: string): string =>
  problems.length === 0 ? otherwise : problems.map(({ code, message }) => `${code}: ${message}`).join('; ');

const DETAIL_MAX = 2_000;

/** Builds a check's result. The detail may quote refused content, so control characters are replaced. */
function result(
  kind: Kind,
  step_id: string | null,
  validator_id: string,
  passed: boolean,
  detail: string,
): ValidationResult {
  const plain = detail.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return { kind, step_id, validator_id, passed, detail: plain.slice(0, DETAIL_MAX) };
}

/** Facts that need the folded state: checkpoints at the verdicts, and the final budget. */
interface Standing {
  readonly checkpoints: readonly StateCheckpoint[];
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
  readonly cost: RunCost;
  /** The score that a check has to reach. */
  readonly accept: number;
}

/** The frozen trace of a finished run, derived from its frames; the same each time. */
export function traceOf(frames: readonly Frame[], standing: Standing): RunTrace {
  const events = frames.flatMap(frameEvents);
  const [arrived] = eventsOf(events, 'goal_received');
  const ended = eventsOf(events, 'run_terminated').at(-1);
  const manifest = eventsOf(events, 'run_initialized').at(-1)?.manifest ?? null;
  if (arrived === undefined) throw new Fault('replay_input_missing', 'the goal of the run is not recorded');
  if (ended === undefined) {
    throw new Fault('illegal_transition', `${arrived.run_id} has not ended: a trace is written at the end of a run`);
  }
  return deepFreeze({
    // A fork starts with its parent's events, which contain the parent's run id.
    run_id: frames[0]?.session ?? arrived.run_id,
    tenant_id: arrived.tenant_id,
    user_scope: scopeOf(arrived, eventsOf(events, 'scope_resolved').at(-1)),
    goal_object: arrived.goal,
    ...versionsOf(manifest, events.flatMap(callsIn)),
    state_checkpoints: standing.checkpoints,
    tool_calls: toolCallsIn(frames),
    budget_vector: budgetOf(manifest, standing),
    validation_results: validationsIn(events, standing.accept),
    escalation_events: escalationsIn(events),
    terminal_code: ended.code,
  });
}

function budgetOf(manifest: RunManifest | null, { caps, used, cost }: Standing): RunTrace['budget_vector'] {
  const source = manifest?.budget;
  return { caps, used, ...(source === undefined ? {} : { source }), cost };
}

function scopeOf({ identity }: EventOf<'goal_received'>, resolved: EventOf<'scope_resolved'> | undefined): UserScope {
  const token = resolved?.token ?? null;
  // A rejected actor has no data scopes.
  if (token === null) return { actor: identity.actor, roles: identity.roles, data_scopes: [] };
  return { actor: token.actor, roles: token.roles, data_scopes: token.data_scopes };
}

type Pinned =
  | 'autonomy_boundary_version'
  | 'workflow_graph_version'
  | 'model_versions'
  | 'prompt_template_versions'
  | 'tool_registry_version';

const NOTHING_PINNED: Pick<RunTrace, Pinned> = Object.freeze({
  autonomy_boundary_version: NONE,
  workflow_graph_version: NONE,
  model_versions: { planner: NONE, executor: NONE, verifier: NONE, router: NONE },
  prompt_template_versions: {},
  tool_registry_version: NONE,
});

/**
 * The versions of a run. The prompts of recorded model requests are included, because a planner of the host's own may
 * ask a model that the manifest does not pin, and a run may end before it has a manifest.
 */
function versionsOf(manifest: RunManifest | null, calls: readonly ModelCall[]): Pick<RunTrace, Pinned> {
  const asked = Object.fromEntries(calls.map(({ template }) => nameAndVersion(template)));
  if (manifest === null) {
    const model_versions = { ...NOTHING_PINNED.model_versions, ...modelsAsked(calls) };
    return { ...NOTHING_PINNED, model_versions, prompt_template_versions: asked };
  }
  const { autonomy_boundary_version, workflow_graph_version, model_versions } = manifest;
  const { prompt_template_versions, tool_registry_version } = manifest;
  return {
    autonomy_boundary_version,
    workflow_graph_version,
    model_versions,
    prompt_template_versions: { ...prompt_template_versions, ...asked },
    tool_registry_version,
  };
}

const modelsAsked = (calls: readonly ModelCall[]): Partial<ModelVersions> =>
  Object.fromEntries(
    calls.flatMap(({ role, model }) => {
      const name = MANIFEST_ROLE[role];
      return name === null ? [] : [[name, model]];
    }),
  );

/** The events of one type, in order. */
export const eventsOf = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];

/** Every call, in the order of sending, with a pointer to its recorded answer. */
function toolCallsIn(frames: readonly Frame[]): readonly ToolCallTrace[] {
  const calls = new Map<string, ToolCallTrace>();
  const confirmationIn = reportedOutcomeReader();
  for (const frame of frames) {
    for (const [place, event] of frameEvents(frame).entries()) {
      if (event.type === 'step_attempted') calls.set(event.call_id, sent(event));
      const confirmation = confirmationIn(event);
      const answered: Answered | null =
        confirmation === null
          ? answerIn(event)
          : { call_id: confirmation.call_id, status: 'ok', said_by: confirmation.by };
      const call = answered === null ? undefined : calls.get(answered.call_id);
      if (answered === null || call === undefined) continue;
      const observation: EventPointer = `${frame.hash}#/${place}`;
      const { call_id, status, ...attribution } = answered;
      calls.set(call_id, { ...call, result_status: status, observation, ...attribution });
    }
  }
  return [...calls.values()];
}

function sent({ tool, args_hash, call_id }: Extract<RunEvent, { type: 'step_attempted' }>): ToolCallTrace {
  return { tool, args_hash: args_hash as Address, request_id: call_id, result_status: 'in_doubt', observation: null };
}

interface Answered extends Pick<ToolCallTrace, 'lane' | 'said_by'> {
  readonly call_id: string;
  readonly status: ToolCallTrace['result_status'];
}

/** The answer to a call, from its tool, its lane, or a probe that found it done. Late answers do not count. */
export function answerIn(event: RunEvent): Answered | null {
  if (event.type === 'step_observed') return { call_id: event.call_id, status: event.outcome };
  if (event.type === 'lane_returned') {
    const { outcome: status, lane } = readOutcome(event.envelope);
    return { call_id: event.call_id, status, ...(lane === null ? {} : { lane }) };
  }
  if (event.type !== 'call_reconciled' || event.finding !== 'happened') return null;
  return { call_id: event.call_id, status: 'ok' };
}
