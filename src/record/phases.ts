import type { EventOf, EventType, RunEvent } from '../model/events/event.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { PHASES, type PhaseArtifact, type PhaseName } from '../model/plan/phase.ts';

/** One phase of a run: its inputs, whether its result is valid, and its artifact. */
export interface PhaseRecord {
  readonly phase: PhaseName;
  readonly at: number;
  readonly inputs: readonly PhaseArtifact[];
  readonly valid: boolean;
  readonly artifact: PhaseArtifact;
  /** Null if the phase produced nothing. */
  readonly handoff: Json;
}

const INPUTS: Readonly<Record<PhaseName, readonly PhaseArtifact[]>> = {
  goal_intake: [],
  scope_resolution: ['goal_object'],
  policy_check: ['goal_object', 'security_token'],
  state_init: ['goal_object', 'security_token', 'safety_clearance'],
  plan_selection: ['goal_object', 'task_state'],
  budget_assign: ['task_state', 'plan'],
  tool_eligibility: ['security_token', 'plan', 'budget_token'],
  action_selection: ['plan', 'tool_list'],
  tool_invocation: ['proposed_action', 'budget_token'],
  observation_grounding: ['raw_payload'],
  state_update: ['grounded_observation'],
  validation_check: ['updated_task_state'],
  reflection_trigger: ['score_card'],
  termination_check: ['score_card', 'updated_task_state'],
  escalation_check: ['stop_or_continue'],
  final_response: ['updated_task_state', 'stop_or_continue'],
  memory_write: ['response'],
  trace_logging: ['stop_or_continue'],
};

const ARTIFACTS: ReadonlyMap<PhaseName, PhaseArtifact> = new Map(PHASES.map(({ name, artifact }) => [name, artifact]));

/** The phases of a run, derived from its journal alone. */
export function phasesOf(events: readonly RunEvent[]): readonly PhaseRecord[] {
  let tools: readonly string[] = [];
  let planned = false;
  return events.flatMap((event): readonly PhaseRecord[] => {
    if (event.type === 'scope_resolved') {
      tools = event.token?.allowed_tools ?? [];
      planned = false;
    }
    if (event.type === 'step_cleared') return selection(event, tools);
    if (event.type === 'plan_verified') {
      const again = planned;
      planned ||= event.verdict === 'ok';
      return planning(event, again);
    }
    const read = READERS[event.type] as Reader<EventType> | undefined;
    return read === undefined ? [] : [read(event)];
  });
}

type Reader<T extends EventType> = (event: EventOf<T>) => PhaseRecord;

function record(phase: PhaseName, at: number, valid: boolean, handoff: unknown): PhaseRecord {
  const artifact = ARTIFACTS.get(phase) ?? 'trace_archive';
  return { phase, at, inputs: INPUTS[phase], valid, artifact, handoff: handoff as Json };
}

/** A run's first plan also binds the budget to its projection; each later plan is a repair. */
function planning(event: EventOf<'plan_verified'>, again: boolean): readonly PhaseRecord[] {
  const ok = event.verdict === 'ok';
  const handoff = { plan_hash: event.plan_hash, verdict: event.verdict };
  if (again) return [record('reflection_trigger', event.at, ok, handoff)];
  const selected = record('plan_selection', event.at, ok, handoff);
  return ok ? [selected, record('budget_assign', event.at, true, event.projected)] : [selected];
}

function selection(event: EventOf<'step_cleared'>, tools: readonly string[]): readonly PhaseRecord[] {
  const { step_id, args_hash, mode } = event;
  return [
    record('tool_eligibility', event.at, true, tools),
    record('action_selection', event.at, true, { step_id, args_hash, mode }),
  ];
}

const READERS: { readonly [T in EventType]?: Reader<T> } = {
  goal_received: ({ at, goal }) => record('goal_intake', at, true, goal),
  scope_resolved: ({ at, token }) => record('scope_resolution', at, token !== null, token),
  policy_checked: ({ at, cleared, rule }) => record('policy_check', at, cleared, { cleared, rule }),
  run_initialized: ({ at, manifest }) => record('state_init', at, true, { version: 0, run_id: manifest.run_id }),
  step_refused: ({ at, step_id, code }) => record('tool_eligibility', at, false, { step_id, code }),
  step_observed: ({ at, call_id, outcome, raw }) =>
    record('tool_invocation', at, outcome === 'ok', { call_id, outcome, raw }),
  step_verified: ({ at, call_id, ok, confirmed, validator }) =>
    record('observation_grounding', at, ok, { call_id, confirmed, validator } as JsonObject),
  step_committed: ({ at, version, evidence_id }) => record('state_update', at, true, { version, evidence_id }),
  step_judged: ({ at, step_id, scores, criteria }) =>
    record('validation_check', at, true, { step_id, scores, criteria }),
  reflection_made: ({ at, trigger, note }) => record('reflection_trigger', at, true, { trigger, note }),
  run_judged: ({ at, unmet }) => record('termination_check', at, true, { stop: unmet.length === 0, unmet }),
  run_escalated: ({ at, escalation }) => record('escalation_check', at, true, escalation),
  response_compiled: ({ at, claims, text }) => record('final_response', at, true, { claims, text }),
  memory_proposed: ({ at, proposals }) => record('memory_write', at, true, proposals),
  run_terminated: ({ at, code, reason, record: kept }) =>
    record('trace_logging', at, true, { code, reason, record: kept }),
};
