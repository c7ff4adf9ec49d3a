import type { EventType, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { PhaseName } from '../model/phase.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isWords: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isList: Check = Array.isArray;
const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isThere: Check = (value) => value !== undefined;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** Every score between 0 and 1, without a list of them being made. */
const areScores: Check = (value) => {
  if (!isRecord(value)) return false;
  for (const name in value as object) {
    const score = (value as Record<string, unknown>)[name];
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return false;
  }
  return true;
};

const has =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.keys(fields).every((name) => fields[name]?.((value as Fields)[name]) === true);

const GOAL = has({ goal_id: isText, statement: isWords, intent: isText, acceptance_criteria: isList });
const TOKEN = has({ actor: isText, tenant_id: isText, allowed_tools: isList, approval_authority: isText });
const MANIFEST = has({ run_id: isText, autonomy_boundary: isRecord, workflow_graph_version: isText });
const HANDOVER = has({ escalation_id: isText, trigger: isText, recipient: isText });

interface Border {
  readonly phase: PhaseName;
  /** Pairs rather than a record, because every event of every run walks past here. */
  readonly fields: readonly (readonly [name: string, check: Check])[];
}

const border = (phase: PhaseName, fields: Readonly<Record<string, Check>>): Border => ({
  phase,
  fields: Object.entries(fields),
});

/** What the event that ends a phase has to bring. A plan brings two things: itself, and what it is projected to take. */
const BORDERS: ReadonlyMap<EventType, Border> = new Map<EventType, Border>([
  ['goal_received', border('goal_intake', { goal: GOAL, identity: isRecord })],
  ['scope_resolved', border('scope_resolution', { token: orNull(TOKEN) })],
  ['policy_checked', border('policy_check', { cleared: isFlag })],
  ['run_initialized', border('state_init', { manifest: MANIFEST, caps: isRecord })],
  ['plan_verified', border('plan_selection', { verdict: isText, plan_hash: orNull(isText), projected: isRecord })],
  ['step_refused', border('tool_eligibility', { step_id: isText, layer: isText, code: isText })],
  [
    'step_cleared',
    border('action_selection', { step_id: isText, args: isRecord, args_hash: isText, mode: isText, gates: isList }),
  ],
  ['step_observed', border('tool_invocation', { call_id: isText, outcome: isText, raw: isThere, spent: isRecord })],
  [
    'step_verified',
    border('observation_grounding', { call_id: isText, ok: isFlag, confirmed: isThere, validator: isText }),
  ],
  ['step_committed', border('state_update', { version: isCount, evidence_id: isText })],
  ['step_judged', border('validation_check', { step_id: isText, scores: areScores, criteria: areScores })],
  ['reflection_made', border('reflection_trigger', { trigger: isText, note: isWords })],
  ['run_judged', border('termination_check', { scores: areScores, unmet: isList })],
  ['run_escalated', border('escalation_check', { escalation: HANDOVER, stop: isRecord })],
  ['response_compiled', border('final_response', { claims: isList, text: isWords })],
  ['memory_proposed', border('memory_write', { proposals: isList })],
  ['run_terminated', border('trace_logging', { code: isText, reason: isText, record: isText })],
]);

/**
 * What a phase hands over is looked at before the next one starts from it. A fault names the phase and what is wrong;
 * null for what may pass. Cheap on purpose: whether every name in it is well formed was asked at the door.
 */
export function malformedHandoff(event: RunEvent): Fault | null {
  const held = BORDERS.get(event.type);
  if (held === undefined) return null;
  for (const [name, check] of held.fields) {
    const value = (event as unknown as Fields)[name];
    if (check(value)) continue;
    const what = value === undefined ? 'is missing' : 'is not what the next phase can start from';
    // Authority that is handed to nobody has a fault of its own.
    const code = event.type === 'run_escalated' ? 'escalation_invalid' : 'event_invalid';
    return new Fault(code, `${held.phase} hands over a malformed ${event.type}: ${name} ${what}`, {
      path: `/${name}`,
    });
  }
  return null;
}
